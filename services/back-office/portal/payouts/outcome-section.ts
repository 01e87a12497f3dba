import { common, type Words } from '#shared/application/pages/translations.ts';
import {
  declineReasonTable,
  type DeclineReason,
} from '#shared/domain/operation/ends/decline-reason.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { count, section, renderTable } from '../../frame/components.ts';
import type { PortalView } from '../env.ts';
import type { FailedRow, FileOutcome, Sum } from './outcome.ts';
import { sheetRow } from './rows.ts';
import { notCreatedNames, outcomeTexts as texts, payoutTexts } from './texts.ts';

const rowsNamed = 20;

type ShownOutcome = {
  batchId: string;
  outcome: FileOutcome;
  /** The operations that have the name of a row without a payout. */
  existing: ReadonlySet<string>;
};

/** How much of a file is paid, and why others are not, with links to the payouts (R24.12). */
export function outcomeSection(
  view: PortalView,
  { batchId, outcome, existing }: ShownOutcome,
): Html {
  const { t } = view;
  const list = (status: string) => `/operations?file=${batchId}&status=${status}`;
  const { completed, partial, open, declined, notCreated } = outcome;
  const lost = [...notCreated.values()].reduce((sum, rows) => sum + rows.length, 0);
  const tiles = [
    tile(view, { name: texts.completed, href: list('completed'), sum: completed }),
    partial.payouts > 0 &&
      tile(view, { name: texts.partial, href: list('partially_completed'), sum: partial }),
    tile(view, { name: texts.open, href: list('pending'), sum: { payouts: open } }),
    tile(view, { name: texts.declined, href: list('declined'), sum: declined }),
    lost > 0 && tile(view, { name: payoutTexts.notCreated, sum: { payouts: lost } }),
  ];
  const all = html`<a class="button small" href="/operations?file=${batchId}">${t(texts.all)}</a>`;
  return html`${section(
    t(texts.title),
    html`<ul class="tiles">
      ${tiles}
    </ul>`,
    all,
  )}
  ${whySection(view, { outcome, existing, href: list('declined') })}`;
}

type Tile = { name: Words; href?: string; sum: Pick<Sum, 'payouts'> & Partial<Sum> };

function tile(view: PortalView, { name, href, sum: { payouts, amounts } }: Tile): Html {
  const content = html`<span class="tile-value">${count(view, payouts)}</span
    ><span>${view.t(name)}</span
    >${amounts && amounts.size > 0 && html`<span>${amountsIn(view, amounts)}</span>`}`;
  return href !== undefined && payouts > 0
    ? html`<li><a class="tile" href="${href}">${content}</a></li>`
    : html`<li><span class="tile">${content}</span></li>`;
}

const amountsIn = ({ language }: PortalView, amounts: Sum['amounts']): string =>
  [...amounts].map(([currency, amount]) => formatAmount(language, amount, currency)).join(', ');

function whySection(
  view: PortalView,
  {
    outcome: { byReason, notCreated },
    existing,
    href,
  }: Omit<ShownOutcome, 'batchId'> & { href: string },
): Html | string {
  const { t } = view;
  const declined = [...byReason].map(([reason, { payouts, amounts }]) => [
    html`<a href="${href}">${reasonName(view, reason)}</a>`,
    count(view, payouts),
    amountsIn(view, amounts),
  ]);
  const lost = [...notCreated].map(([code, rows]) => [
    html`${notCreatedNames[code] ? t(notCreatedNames[code]) : code}
      <span class="muted small">${namedRows(view, rows, existing)}</span>`,
    count(view, rows.length),
    '—',
  ]);
  if (declined.length + lost.length === 0) return '';
  const listed = renderTable(view, {
    caption: t(texts.why),
    columns: [common.reason, { amount: texts.payouts }, { amount: common.amount }],
    rows: [...declined, ...lost],
  });
  return section(t(texts.why), html`${listed}${notice('info', html`<p>${t(texts.again)}</p>`)}`);
}

const reasonName = ({ t }: PortalView, reason: DeclineReason | 'other'): string =>
  reason === 'other' ? t(common.none) : t(declineReasonTable[reason].label);

/** The first rows, as a spreadsheet counts them. */
function namedRows(
  view: PortalView,
  rows: readonly FailedRow[],
  existing: ReadonlySet<string>,
): Html {
  const named = rows.slice(0, rowsNamed).map(({ row, operationId }, index) => {
    const number = sheetRow(view, row);
    const linked = existing.has(operationId)
      ? html`<a href="/operations/${operationId}">${number}</a>`
      : number;
    return html`${index > 0 && ', '}${linked}`;
  });
  const word = view.t(rows.length === 1 ? texts.inRow : texts.inRows);
  return html`${word} ${named}${rows.length > rowsNamed && '…'}`;
}

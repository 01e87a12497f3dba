import type { StatementFinding } from '#projections/statements/query.ts';
import { findings as findingKinds } from '#shared/domain/statements/findings.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { actorOf, count, shortId, table } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import type { View } from '../env.ts';
import { common } from '#shared/application/pages/translations.ts';
import { pathOf } from './paths.ts';
import { decisionNames, kinds, texts } from './texts.ts';

type Counts = ReadonlyMap<string, { open: number; closed: number }>;

/** Findings by kind, with what to do about each. */
export function groups(view: View, findings: readonly StatementFinding[], counts: Counts): Html {
  const { t } = view;
  if (counts.size === 0) return html`<div class="empty">${t(texts.none)}</div>`;
  const shown = findingKinds.filter((kind) => findings.some(({ finding }) => finding === kind));
  return html`${shown.map((kind) => {
    const { open = 0, closed = 0 } = counts.get(kind) ?? {};
    return html`<section class="section">
      <h2>${t(kinds[kind].name)}: ${count(view, open + closed)}</h2>
      <p>${t(kinds[kind].todo)}</p>
      ${table(view, {
        caption: t(kinds[kind].name),
        columns: [
          texts.transfer,
          common.operationId,
          { amount: texts.stated },
          { amount: texts.counted },
          texts.note,
        ],
        rows: findings
          .filter(({ finding }) => finding === kind)
          .map((finding) => findingRow(view, finding)),
      })}
    </section>`;
  })}`;
}

/** The note on a finding that is open again because its amounts changed. */
const earlierNote = (view: View, finding: StatementFinding): Html | string =>
  finding.earlier_note === null
    ? ''
    : html`<p class="muted small">
        ${view.t(texts.notedBefore)}: ${finding.earlier_note} (${actorOf(finding.earlier_by ?? '')})
      </p>`;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function findingRow(view: View, finding: StatementFinding): (Html | string)[] {
  const { t, language } = view;
  const { leg_id: legId, operation_id: operationId, currency, decision, note } = finding;
  const amount = (value: string | null) =>
    value === null ? '—' : formatAmount(language, value, currency);
  const hasOperation = operationId !== null && uuid.test(operationId);
  const closing = `${pathOf(finding)}/close-finding/${encodeURIComponent(finding.finding_id)}`;
  return [
    legId === null ? '—' : shortId(legId),
    operationId === null
      ? '—'
      : shortId(operationId, hasOperation ? `/operations/${operationId}` : undefined),
    amount(finding.amount),
    amount(finding.counted_amount),
    decision === null
      ? html`${action(view, {
          route: 'POST /admin/v1/statements/:provider/:account/:currency/:day/close-finding',
          href: closing,
          text: texts.close,
        })}${earlierNote(view, finding)}`
      : html`${t(decisionNames[decision])}: ${note}`,
  ];
}

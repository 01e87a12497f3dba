import { z } from 'zod';
import {
  readLedgerCurrencies,
  statementTotals,
  type StatementTotals,
} from '#projections/ledger/statement.ts';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import { dayEnd, dayStart } from '#shared/application/pages/zone.ts';
import { common } from '#shared/application/pages/translations.ts';
import { isZero } from '#shared/domain/money.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import {
  renderBalance,
  toChoices,
  count,
  heading,
  hiddenField,
  input,
  section,
  select,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { filterValue } from '../../frame/filter-value.ts';
import { formatSigned } from '../../frame/ledger-entries.ts';
import {
  sessionShopId,
  portalView,
  type Portal,
  type PortalContext,
  type PortalView,
} from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { entryName, kindOrder } from './entry-names.ts';
import { daysOfMonth, monthName, monthSchema, recentMonths } from './months.ts';
import { statementTexts as texts } from './statement-texts.ts';

const schema = z.object({
  currency: filterValue(z.string()),
  month: filterValue(monthSchema),
});

type Days = { currency: string; from: string; to: string };

/** A month of the balance: its totals, its files, and how to verify them. */
export async function monthlyStatementPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t, zone } = view;
  const shopId = sessionShopId(c);
  const query = schema.parse(c.req.query());
  const currencies = await fromDatabase(readLedgerCurrencies(portal.db, shopId));
  const currency = currencies.find((each) => each === query.currency) ?? currencies[0];
  const months = recentMonths(portal.now(), zone);
  const [current = '', last = current] = months;
  const month = months.find((each) => each === query.month) ?? last;
  const content = async () => {
    if (currency === undefined) return html`<div class="empty">${t(texts.none)}</div>`;
    const days = { currency, ...daysOfMonth(month) };
    const totals = await readTotals(portal, { shopId, zone, ...days });
    return html`${periodForm(view, { currencies, currency, months, month })}
    ${section(
      `${t(texts.totals)}: ${monthName(view, month)}, ${currency}`,
      html`${totals.kinds.length === 0 && html`<p class="muted">${t(texts.noEntries)}</p>`}
      ${totalsTable(view, totals)}${payoutNote(view, totals)}`,
      downloads(view, days),
    )}
    ${otherDays(view, days)} ${verification(view, days)}`;
  };
  return {
    title: t(texts.title),
    body: html`${heading(t(texts.title), '', html`${t(texts.about)} ${timesIn(view)}`)}
    ${await content()}`,
  };
}

/** Incomplete until everything from before the month's end is in the tables. */
async function readTotals(
  { db, statements }: Portal,
  { shopId, currency, from, to, zone }: Days & { shopId: string; zone: string },
): Promise<StatementTotals & { isComplete: boolean }> {
  const end = dayEnd(to, zone);
  const isComplete = (await statements.asOf()) >= end.getTime();
  const period = { shopId, currency, from: dayStart(from, zone), to: end };
  return { ...(await fromDatabase(statementTotals(db, period))), isComplete };
}

type Choice = {
  currencies: readonly string[];
  currency: string;
  months: readonly string[];
  month: string;
};

function periodForm(view: PortalView, { currencies, currency, months, month }: Choice): Html {
  const { t } = view;
  return html`<form class="filters" method="get" action="/statement">
    ${select({ name: 'month', label: t(texts.month), value: month, choices: toChoices(months, (each) => monthName(view, each)) })}
    ${select({ name: 'currency', label: t(common.currency), value: currency, choices: toChoices(currencies) })}
    <div class="row"><button class="button" type="submit">${t(common.show)}</button></div>
  </form>`;
}

function totalsTable(
  view: PortalView,
  { opening, closing, kinds, isComplete }: StatementTotals & { isComplete: boolean },
): Html {
  const { t } = view;
  const ordered = kinds.toSorted((left, right) => kindOrder(left.kind) - kindOrder(right.kind));
  return renderTable(view, {
    caption: t(texts.totals),
    columns: [
      texts.what,
      { amount: texts.entries },
      { amount: common.amount },
      { amount: texts.commission },
    ],
    rows: [
      [t(texts.opening), '', renderBalance(view, opening, ''), ''],
      ...ordered.map(({ kind, returned, entries, amount, commission }) => [
        t(entryName(kind, returned)),
        count(view, entries),
        isZero(amount) ? '—' : formatSigned(view, amount),
        isZero(commission) ? '' : formatAmount(view.language, commission, '').trim(),
      ]),
      [
        t(isComplete ? texts.closing : texts.closingSoFar),
        '',
        renderBalance(view, closing, ''),
        '',
      ],
    ],
  });
}

/** Why a payout that was completed moves nothing: its reserve did. */
const payoutNote = ({ t }: PortalView, { kinds }: StatementTotals): Html | string =>
  kinds.some(({ kind }) => kind === 'capture')
    ? html`<p class="muted measure">${t(texts.payouts)}</p>`
    : '';

const toQueryString = ({ currency, from, to }: Days): string =>
  new URLSearchParams({ currency, from, to }).toString();

const downloads = ({ t }: PortalView, days: Days): Html =>
  html`<a class="button small primary" href="/statement.json?${toQueryString(days)}" download
      >${t(texts.json)}</a
    ><a class="button small" href="/statement.csv?${toQueryString(days)}" download
      >${t(texts.csv)}</a
    >`;

function otherDays({ t }: PortalView, { currency, from, to }: Days): Html {
  const field = (name: string, label: string, value: string) =>
    input({ name, label, value, type: 'date' });
  return html`<details>
    <summary>${t(texts.otherDays)}</summary>
    <form class="filters" method="get" action="/statement.json">
      ${hiddenField('currency', currency)} ${field('from', t(texts.firstDay), from)}
      ${field('to', t(texts.lastDay), to)}
      <div class="row">
        <button class="button" type="submit">${t(texts.json)}</button>
        <button class="button quiet" type="submit" formaction="/statement.csv">
          ${t(texts.csv)}
        </button>
      </div>
    </form>
  </details>`;
}

function verification({ t }: PortalView, { currency, from, to }: Days): Html {
  const gateway = gatewayUrl();
  const commands = [
    `curl -sS ${gateway}/docs/client.tgz | tar xz`,
    `curl -sS ${gateway}/.well-known/checkpoint-keys > keys.json`,
    `gateway-client/python/verify-statement statement-${currency}-${from}-${to}.json --keys keys.json`,
  ].join('\n');
  return section(
    t(texts.verify),
    html`<p class="measure">${t(texts.verifyAbout)}</p>
      <pre class="wrap" tabindex="0" role="group" aria-label="${t(texts.commands)}">
${commands}</pre>
      <p class="muted measure">${t(texts.verifyPrevious)}</p>`,
  );
}

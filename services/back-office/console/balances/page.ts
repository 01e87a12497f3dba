import { sql } from 'kysely';
import { badge, formatAmount, html } from '#shared/platform/pages/index.ts';
import {
  at,
  renderBalance,
  debtExplained,
  heading,
  renderTable,
  tabs,
  timesIn,
} from '../../frame/components.ts';
import { consoleView, type Console, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import type { PageContent } from '../../frame/pages.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

export const ledgerTexts = {
  about: {
    ru: 'Из моделей чтения, до 500 строк. Точные балансы и проводки — на странице магазина и валюты.',
    en: 'From the read models, up to 500 rows. The page of a shop and currency has the exact balance and its ledger entries.',
  },
  debt: { ru: 'Долг', en: 'Debt' },
  negative: { ru: 'Отрицательные', en: 'Negative' },
  noNegative: { ru: 'Отрицательных балансов нет.', en: 'No balance is negative.' },
  entries: { ru: 'Проводок', en: 'Entries' },
  moved: { ru: 'Последняя проводка', en: 'Last entry' },
  empty: {
    ru: 'Проводок ещё нет: первая появится после оплаченного платежа, выплаты или корректировки.',
    en: 'There are no entries yet: the first one comes with a paid payment, a payout or an adjustment.',
  },
} as const satisfies Record<string, Words>;

type Row = Record<
  'shop_id' | 'currency' | 'balance' | 'reserved' | 'current_minus' | 'commission' | 'entries',
  string
> & {
  shop_name: string | null;
  overdraft_limit: string | null;
  updated_at: Date;
};

const maxRows = 500;
const negativePath = '/balances?balance=negative';

/** The balances of every shop. */
export async function consoleBalancesPage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent> {
  const view = consoleView(c);
  const { t, language } = view;
  const onlyNegative = c.req.query('balance') === 'negative';
  const rows = await readSnapshot(console.db, async (db) => {
    const { rows: balances } = await sql<Row>`
      select shop_id, shop_name, currency, balance, reserved, current_minus, overdraft_limit, commission, entries, updated_at
      from gateway.balances where ${onlyNegative ? sql`balance < 0` : sql`true`} order by shop_name, shop_id, currency limit ${maxRows}`.execute(
      db,
    );
    return balances;
  });
  const signs = tabs(t(common.balance), onlyNegative ? negativePath : '/balances', [
    ['/balances', t(common.all)],
    [negativePath, t(ledgerTexts.negative)],
  ]);
  const read = rows === 'too_long' ? [] : rows;
  const noneRead = onlyNegative ? ledgerTexts.noNegative : ledgerTexts.empty;
  const listed = renderTable(view, {
    caption: t(common.balances),
    columns: [
      common.shop,
      common.currency,
      { amount: common.balance },
      { amount: common.reserved },
      { amount: ledgerTexts.debt },
      { amount: common.overdraftLimit },
      { amount: common.commission },
      { amount: ledgerTexts.entries },
      ledgerTexts.moved,
    ],
    rows: read.map((row) => {
      const money = (amount: string) => formatAmount(language, amount, row.currency);
      return [
        html`<a href="/shops/${row.shop_id}/ledger/${row.currency}"
          >${row.shop_name ?? row.shop_id}</a
        >`,
        row.currency,
        renderBalance(view, row.balance, row.currency),
        money(row.reserved),
        money(row.current_minus),
        row.overdraft_limit === null
          ? badge('danger', t(common.unlimited), 'warning')
          : money(row.overdraft_limit),
        money(row.commission),
        row.entries,
        at(view, row.updated_at),
      ];
    }),
    empty: t(rows === 'too_long' ? common.databaseTooSlow : noneRead),
  });
  const debts = read.map((row) => ({ balance: row.balance, currentMinus: row.current_minus }));
  return {
    title: t(common.balances),
    body: html`${heading(t(common.balances), exportButton(view, 'balances'), html`${t(ledgerTexts.about)} ${timesIn(view)}`)}${signs}${listed}${debtExplained(view, debts)}`,
  };
}

import { setImmediate as turn } from 'node:timers/promises';
import { currencies } from '#shared/domain/currencies.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { isZero } from '#shared/domain/money.ts';
import {
  createEstimate,
  type Charge,
  type BatchEstimate,
} from '#shared/domain/payout-batch/charge.ts';
import type { CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { findExisting } from '#projections/operations/find-existing.ts';
import {
  findUsedNames,
  type UsedNames,
} from '#shared/application/payout-batches/existing-operations.ts';
import type { FileRow } from '#shared/application/payout-batches/file-rows.ts';
import { common } from '#shared/application/pages/translations.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { count, section, renderTable, type Pair } from '../../frame/components.ts';
import type { Portal, PortalView } from '../env.ts';
import { moneyTexts as texts } from './texts.ts';

/** What a file costs in one currency, and what the shop has. */
type CurrencyCost = Charge & {
  currency: string;
  /** Of all rows, also of those that are not in the charge. */
  amount: string;
  /** Undefined while the ledger is inconsistent. */
  balance: string | undefined;
  /** Undefined: without a limit. */
  overdraft: string | undefined;
};

type FileCost = {
  costs: readonly CurrencyCost[];
  estimate: BatchEstimate;
  /** The operations that have a row's name already, so that no payout is made of it. */
  used: UsedNames;
};

const nothing: Charge = { commission: '0.00', total: '0.00' };
const rowsInTurn = 50;

/** @throws Problem not_ready */
export async function readCost(
  { ledgers, db }: Pick<Portal, 'ledgers' | 'db'>,
  { batch, rows, shop }: { batch: CheckedBatch; rows: readonly FileRow[]; shop: Shop },
): Promise<FileCost> {
  const counted = createEstimate(shop.routes);
  const names = rows.map((row) => row.merchant_operation_id);
  const find = (ids: readonly string[]) => fromDatabase(findExisting(db, ids));
  const used = await findUsedNames(find, shop, names);
  for (const [index, row] of rows.entries()) {
    if (index % rowsInTurn === 0) await turn();
    if (!used.has(row.merchant_operation_id)) counted.add(row);
  }
  const estimate = counted.result();
  const totals = currencies.flatMap((currency) => {
    const amount = batch.checked.total[currency];
    return amount === undefined ? [] : [{ currency, amount }];
  });
  const limits = shop.settings.overdraft_limits;
  const costs = await Promise.all(
    totals.map(async ({ currency, amount }) => {
      const position = await fromStore(ledgers.position(shop.shopId, currency));
      const balance = position.outcome === 'inconsistent' ? undefined : position.balance;
      const charge = estimate.charges.get(currency) ?? nothing;
      return { currency, amount, ...charge, balance, overdraft: limits[currency] };
    }),
  );
  return { costs, estimate, used };
}

/** How much of it the balance lacks, with the overdraft and without; undefined if it is enough. */
function lacks({ total, balance, overdraft }: CurrencyCost) {
  if (balance === undefined) return {};
  const below = toMinor(total) - toMinor(balance);
  const short = overdraft === undefined ? 0n : below - toMinor(overdraft);
  return {
    ...(below > 0n && { below: fromMinor(below) }),
    ...(short > 0n && { short: fromMinor(short) }),
  };
}

/** What of the payouts is not in the charge, for the reasons in the warnings. */
const notCharged = ({ amount, commission, total }: CurrencyCost): string =>
  fromMinor(toMinor(amount) + toMinor(commission) - toMinor(total));

function renderAvailable({ t, language }: PortalView, cost: CurrencyCost): Html {
  const { currency, balance, overdraft } = cost;
  if (balance === undefined) return html`—`;
  const money = (amount: string) => formatAmount(language, amount, currency);
  const limit = overdraft ?? '0.00';
  const available = money(fromMinor(toMinor(balance) + toMinor(limit)));
  const parts = { '{balance}': money(balance), '{limit}': money(limit) };
  const why = Object.entries(parts).reduce(
    (text, [name, part]) => text.replace(name, part),
    t(overdraft === undefined ? texts.unlimited : texts.overdraft),
  );
  const needed = overdraft === undefined || toMinor(overdraft) !== 0n;
  return html`${available}${needed && html`<br /><span class="muted small">${why}</span>`}`;
}

/** The charge and the available balance as one line each, for the page of the confirmation. */
export function costPairs(view: PortalView, { costs }: FileCost): Pair[] {
  const { t, language } = view;
  return costs.flatMap((cost): Pair[] => {
    const money = (amount: string) => formatAmount(language, amount, cost.currency);
    return [
      [t(texts.payouts), money(cost.amount)],
      [t(texts.notCharged), isZero(notCharged(cost)) ? undefined : money(notCharged(cost))],
      [t(common.commission), money(cost.commission)],
      [t(texts.charge), html`<strong>${money(cost.total)}</strong>`],
      [t(texts.available), renderAvailable(view, cost)],
    ];
  });
}

export function costSection(view: PortalView, cost: FileCost): Html {
  const { t, language } = view;
  const isAllCharged = cost.costs.every((each) => isZero(notCharged(each)));
  const rows = cost.costs.map((each) => {
    const money = (amount: string) => formatAmount(language, amount, each.currency);
    return [
      each.currency,
      money(each.amount),
      ...(isAllCharged ? [] : [money(notCharged(each))]),
      money(each.commission),
      html`<strong>${money(each.total)}</strong>`,
      renderAvailable(view, each),
    ];
  });
  const listed = renderTable(view, {
    caption: t(texts.title),
    columns: [
      common.currency,
      { amount: texts.payouts },
      ...(isAllCharged ? [] : [{ amount: texts.notCharged }]),
      { amount: common.commission },
      { amount: texts.charge },
      { amount: texts.available },
    ],
    rows,
  });
  const terms = html`<p class="muted small">${t(texts.terms)}</p>`;
  return section(t(texts.title), html`${listed}${terms}`);
}

/** What makes a file fail in part, or take the balance below zero. */
export function costWarnings(view: PortalView, { costs, estimate, used }: FileCost): Html {
  const { t, language } = view;
  const { withoutRoute, converted } = estimate;
  const money = costs.flatMap((cost) => {
    const { below, short } = lacks(cost);
    const missing = short ?? below;
    if (missing === undefined) return [];
    const text = t(short === undefined ? texts.belowZero : texts.short);
    return [text.replace('{n}', formatAmount(language, missing, cost.currency))];
  });
  const numbered = (text: string, n: number) =>
    n > 0 ? [text.replace('{n}', count(view, n))] : [];
  const all = [
    ...money,
    ...numbered(t(texts.used), used.size),
    ...numbered(t(texts.withoutRoute), withoutRoute),
    ...numbered(t(texts.converted), converted),
  ];
  return html`${all.map((text) => notice('warning', html`<p>${text}</p>`))}`;
}

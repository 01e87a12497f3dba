import { decodeLedgerEvent, type Account, type Entry } from '#shared/domain/ledger/events.ts';
import { at, balanceOf, shortId, table } from '../../frame/components.ts';
import { convertedFrom, merchantIdOf, signed } from '../../frame/ledger-entries.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import type { View } from '../env.ts';

const texts = {
  what: { ru: 'Что произошло', en: 'What happened' },
  change: { ru: 'Изменение', en: 'Change' },
} as const satisfies Record<string, Words>;

/** What an entry is to the merchant. */
const kindNames: Readonly<Record<Entry['kind'], Words>> = {
  credit: { ru: 'Зачислен платёж', en: 'Payment credited' },
  reserve: { ru: 'Резерв для выплаты', en: 'Reserved for a payout' },
  capture: { ru: 'Выплата исполнена', en: 'Payout completed' },
  release: { ru: 'Резерв снят', en: 'Reserve released' },
  adjustment: { ru: 'Корректировка шлюза', en: 'Adjustment by the gateway' },
  suspense: { ru: 'Невыясненная сумма', en: 'Suspense' },
  resolution: { ru: 'Решение по невыясненной сумме', en: 'Suspense resolved' },
};

/** A decision on returned money, by its effect on the balance. */
const backNames = {
  in: { ru: 'Выплата вернулась', en: 'Payout returned' },
  out: { ru: 'Чарджбэк', en: 'Payment charged back' },
} as const satisfies Record<string, Words>;

const nameOf = (entry: Entry): Words =>
  entry.kind === 'resolution' && entry.of_leg_id !== undefined
    ? backNames[legOf(entry, 'balance')?.startsWith('-') ? 'out' : 'in']
    : kindNames[entry.kind];

const legOf = ({ legs }: Entry, account: Account): string | undefined =>
  legs.find((leg) => leg.account === account)?.amount;

/** Entries that move money only between the gateway's own accounts are not shown to merchants. */
const isOwn = (entry: Entry): boolean =>
  legOf(entry, 'balance') !== undefined || legOf(entry, 'reserved') !== undefined;

/** Entries in the merchant's words: what each adds to the balance and takes from it. */
export function entriesTable(
  view: View,
  events: readonly StoredEvent[],
  { empty, merchantIds }: { empty: string; merchantIds: ReadonlyMap<string, string> },
): Html {
  const { t } = view;
  const change = (entry: Entry, account: Account) => {
    const amount = legOf(entry, account);
    return amount === undefined ? '' : signed(view, amount);
  };
  const entries = events.map((event) => ({ event, entry: decodeLedgerEvent(event).data }));
  return table(view, {
    caption: t(common.ledgerEntries),
    columns: [
      texts.what,
      { amount: texts.change },
      { amount: common.balance },
      { amount: common.reserved },
      { amount: common.commission },
      common.when,
      common.operationId,
      common.merchantOperationId,
    ],
    rows: entries
      .filter(({ entry }) => isOwn(entry))
      .map(({ event, entry }) => [
        t(nameOf(entry)),
        change(entry, 'balance'),
        balanceOf(view, entry.balance_after, ''),
        change(entry, 'reserved'),
        commissionOf(view, entry),
        at(view, event.created),
        operationOf(view, entry),
        merchantIdOf(entry, merchantIds),
      ]),
    empty,
  });
}

const commissionOf = ({ language }: View, entry: Entry): string => {
  const amount = legOf(entry, 'commission');
  return amount === undefined ? '' : formatAmount(language, amount, '').trim();
};

/** Also shows the amount before conversion, where the journal is in another currency. */
function operationOf(view: View, entry: Entry): Html | string {
  if (entry.kind === 'adjustment') return '—';
  const { operation_id: operationId } = entry;
  return html`${shortId(operationId, `/operations/${operationId}`)}${convertedFrom(view, entry)}`;
}

import { decodeLedgerEvent, type LedgerAccount, type Entry } from '#shared/domain/ledger/events.ts';
import { at, renderBalance, shortId, renderTable } from '../../frame/components.ts';
import { convertedFrom, renderMerchantId, formatSigned } from '../../frame/ledger-entries.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import type { PortalView } from '../env.ts';
import { entryName } from './entry-names.ts';

const texts = {
  what: { ru: 'Что произошло', en: 'What happened' },
  balanceChange: { ru: 'Изменение баланса', en: 'Change of the balance' },
  balanceAfter: { ru: 'Баланс после', en: 'Balance after' },
  reserveChange: { ru: 'Изменение резерва', en: 'Change of the reserve' },
} as const satisfies Record<string, Words>;

const entryLabel = (entry: Entry): Words => {
  if (entry.kind !== 'resolution' || entry.of_leg_id === undefined)
    return entryName(entry.kind, null);
  return entryName(entry.kind, findLegAmount(entry, 'balance')?.startsWith('-') ? 'out' : 'in');
};

const findLegAmount = ({ legs }: Entry, account: LedgerAccount): string | undefined =>
  legs.find((leg) => leg.account === account)?.amount;

/** Entries that move money only between the gateway's own accounts are not shown to merchants. */
const isOwn = (entry: Entry): boolean =>
  findLegAmount(entry, 'balance') !== undefined || findLegAmount(entry, 'reserved') !== undefined;

/** Entries in the merchant's words: what each adds to the balance and takes from it. */
export function renderMerchantEntries(
  view: PortalView,
  events: readonly StoredEvent[],
  { empty, merchantIds }: { empty: string; merchantIds: ReadonlyMap<string, string> },
): Html {
  const { t } = view;
  const change = (entry: Entry, account: LedgerAccount) => {
    const amount = findLegAmount(entry, account);
    return amount === undefined ? '' : formatSigned(view, amount);
  };
  const entries = events.map((event) => ({ event, entry: decodeLedgerEvent(event).data }));
  return renderTable(view, {
    caption: t(common.ledgerEntries),
    columns: [
      texts.what,
      { amount: texts.balanceChange },
      { amount: texts.balanceAfter },
      { amount: texts.reserveChange },
      { amount: common.commission },
      common.when,
      common.operationId,
      common.merchantOperationId,
    ],
    rows: entries
      .filter(({ entry }) => isOwn(entry))
      .map(({ event, entry }) => [
        t(entryLabel(entry)),
        change(entry, 'balance'),
        renderBalance(view, entry.balance_after, ''),
        change(entry, 'reserved'),
        formatCommission(view, entry),
        at(view, event.created),
        renderOperation(view, entry),
        renderMerchantId(entry, merchantIds),
      ]),
    empty,
  });
}

const formatCommission = ({ language }: PortalView, entry: Entry): string => {
  const amount = findLegAmount(entry, 'commission');
  return amount === undefined ? '' : formatAmount(language, amount, '').trim();
};

/** Also shows the amount before conversion, where the journal is in another currency. */
function renderOperation(view: PortalView, entry: Entry): Html | string {
  if (entry.kind === 'adjustment') return '—';
  const { operation_id: operationId } = entry;
  return html`${shortId(operationId, `/operations/${operationId}`)}${convertedFrom(view, entry)}`;
}

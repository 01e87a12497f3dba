import type { Kysely } from 'kysely';
import { findEntries } from '#projections/ledger/query.ts';
import { findMerchantOperationIds } from '#projections/operations/find-existing.ts';
import { common } from '#shared/application/pages/translations.ts';
import { decodeLedgerEvent, ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { currencies } from '#shared/domain/methods/index.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { tabs, type View } from './components.ts';

type Stores<DB> = { db: Kysely<DB>; store: Pick<EventStore, 'read'> };

/** An operation's entries from the log; the read model only gives their positions. */
export async function readEntriesOf<DB>(
  { db, store }: Stores<DB>,
  { operationId, shopId }: Operation,
): Promise<StoredEvent[]> {
  const places = await fromDatabase(findEntries(db, operationId));
  const own = places.filter(({ shop_id: of }) => of === shopId);
  const read = await Promise.all(
    own.map(({ currency, revision }) =>
      fromStore(
        store.read(ledgerStream(shopId, currency), { fromRevision: revision, maxCount: 1 }),
      ),
    ),
  );
  return read.flat();
}

/** The merchant's ids of the operations that entries are about. */
export function readMerchantIds<DB>(
  db: Kysely<DB>,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<string, string>> {
  const entries = events.map((event) => decodeLedgerEvent(event).data);
  const operationIds = entries.flatMap((entry) =>
    entry.kind === 'adjustment' ? [] : [entry.operation_id],
  );
  return fromDatabase(findMerchantOperationIds(db, operationIds));
}

/** The merchant's id of an entry's operation; an adjustment has none. */
export function merchantIdOf(
  entry: Entry,
  merchantIds: ReadonlyMap<string, string>,
): Html | string {
  const id = entry.kind === 'adjustment' ? undefined : merchantIds.get(entry.operation_id);
  return id === undefined ? '—' : html`<span class="clip" title="${id}">${id}</span>`;
}

/** Without the currency, which the whole table shares; with a sign, as it is a movement. */
export function signed({ language }: View, amount: string): string {
  const text = formatAmount(language, amount, '').trim();
  return amount.startsWith('-') ? text : `+${text}`;
}

/** The amount that an entry was converted from, in a ledger of another currency. */
export function convertedFrom({ language }: View, entry: Entry): Html | string {
  if (entry.kind === 'adjustment' || !entry.source) return '';
  const { amount, currency, fx_rate: rate } = entry.source;
  return html` <span class="muted nowrap"
    >${formatAmount(language, amount, currency)} × ${rate}</span
  >`;
}

/** The ledgers of a shop; `path` has one of them. */
export const currencyTabs = ({ t }: View, path: string, current: string): Html =>
  tabs(
    t(common.currency),
    `${path}/${current}`,
    currencies.map((each) => [`${path}/${each}`, each]),
  );

import { decodeLedgerEvent, ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { moved, noEntry, positionAfter, violationsAfter } from '#shared/domain/ledger/position.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';

type PostedEntry = { event: StoredEvent; entry: Entry };

/**
 * A shop's journal in one currency, oldest first. @throws when an entry does not follow from those
 * before it
 */
export async function journalOf(
  store: EventStore,
  shopId: string,
  currency = 'RUB',
): Promise<PostedEntry[]> {
  const events = await store.read(ledgerStream(shopId, currency));
  let position = noEntry;
  return events.map((event) => {
    const entry = decodeLedgerEvent(event).data;
    const violations = violationsAfter(position, entry);
    if (violations.length > 0) throw new Error(violations.join('; '));
    position = positionAfter(entry, event.revision);
    return { event, entry };
  });
}

/** The kinds of a journal's entries, oldest first. */
export const entryKinds =
  (store: EventStore, shopId: string, currency = 'RUB') =>
  async () =>
    (await journalOf(store, shopId, currency)).map(({ entry }) => entry.kind);

/** The balance of a shop's account, summed over its journal. */
export function accountBalance(
  journal: readonly PostedEntry[],
  account: Parameters<typeof moved>[1],
): string {
  return fromMinor(
    journal.reduce((sum, { entry }) => sum + moved(entry, account), toMinor('0.00')),
  );
}

import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import {
  currentMinus,
  entryViolations,
  noEntry,
  positionAfter,
  violationsAfter,
} from '#shared/domain/ledger/position.ts';
import type { EventStore } from '#shared/event-store/index.ts';
import { entryOf } from './memory.ts';
import type { LedgerPosition } from './types.ts';

/**
 * The position that the newest entry states, once it is checked against the one before it.
 * @throws when the store does not answer, or holds what is no entry
 */
export async function readPosition(
  store: Pick<EventStore, 'read'>,
  { shopId, currency, deadlineMs }: { shopId: string; currency: string; deadlineMs?: number },
): Promise<LedgerPosition> {
  const stream = ledgerStream(shopId, currency);
  const [newest, previous] = await store.read(stream, {
    direction: 'backwards',
    maxCount: 2,
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
  if (!newest) return consistent(noEntry);
  const entry = entryOf(newest);
  const { revision } = newest;
  const before = previous ? positionAfter(entryOf(previous), previous.revision) : noEntry;
  const violations = [
    ...(before.revision === revision - 1 ? [] : [`revision ${revision - 1} is missing`]),
    ...(entry.shop_id === shopId && entry.currency === currency
      ? []
      : [`the entry is of shop ${entry.shop_id} in ${entry.currency}`]),
    ...(previous ? entryViolations(entryOf(previous)) : []),
    ...violationsAfter(before, entry),
  ];
  if (violations.length > 0) return { outcome: 'inconsistent', stream, revision, violations };
  return consistent(positionAfter(entry, revision));
}

function consistent(position: typeof noEntry): LedgerPosition {
  return {
    outcome: 'consistent',
    balance: fromMinor(position.balance),
    reserved: fromMinor(position.reserved),
    currentMinus: fromMinor(currentMinus(position)),
    revision: position.revision,
  };
}

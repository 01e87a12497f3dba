import { UntrustedEvent } from '#shared/domain/decode.ts';
import { ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import {
  currentMinus,
  entryViolations,
  noEntry,
  positionAfter,
  violationsAfter,
} from '#shared/domain/ledger/position.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { decodeEntry } from './memory.ts';
import type { LedgerPosition } from './types.ts';

/**
 * The totals in the newest entry, checked against the entry before it.
 * @throws when the store does not answer; UntrustedEvent
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
  const { revision } = newest;
  const violations = findViolations(newest, previous, { shopId, currency });
  return violations.length > 0
    ? { outcome: 'inconsistent', stream, revision, violations }
    : consistent(positionAfter(decodeEntry(newest), revision));
}

function findViolations(
  newest: StoredEvent,
  previous: StoredEvent | undefined,
  { shopId, currency }: { shopId: string; currency: string },
): string[] {
  const entry = decoded(newest);
  const entryBefore = previous && decoded(previous);
  if (!entry || (previous && !entryBefore)) return ['the event is not an entry'];
  const before = previous && entryBefore ? positionAfter(entryBefore, previous.revision) : noEntry;
  const violations = [
    ...(entryBefore ? entryViolations(entryBefore) : []),
    ...violationsAfter(before, entry),
  ];
  if (before.revision !== newest.revision - 1)
    violations.push(`revision ${newest.revision - 1} is missing`);
  if (entry.shop_id !== shopId || entry.currency !== currency)
    violations.push(`the entry is of shop ${entry.shop_id} in ${entry.currency}`);
  return violations;
}

function decoded(event: StoredEvent): Entry | undefined {
  try {
    return decodeEntry(event);
  } catch (error) {
    if (error instanceof UntrustedEvent) throw error;
    return undefined;
  }
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

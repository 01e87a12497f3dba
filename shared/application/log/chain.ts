import { hash } from 'node:crypto';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { maxRecordBytes, writeLogRecord } from './record.ts';

/**
 * A hash chain over all events of the journal. Every 256 events make a link: SHA-256 of the
 * previous link and of the events' records. Events after the last link are hashed onto it in the
 * same way, so the journal has a hash at every event.
 */
export type Chain = {
  add(event: RawEvent): void;
  /** Hexadecimal. */
  hash(): string;
  events(): number;
};

const eventsPerLink = 256;
const linkBytes = 32;

/** Hashed before the first event, so that no chain of another purpose can equal this one. */
const start = hash('sha256', 'payment gateway journal, chain 1', 'buffer');

export function createChain(): Chain {
  let events = 0;
  /** The last link, and the records since. */
  let pending = Buffer.allocUnsafe(262_144);
  let used = start.copy(pending);
  return {
    add: (event) => {
      const most = maxRecordBytes(event);
      if (used + most > pending.length) {
        const larger = Buffer.allocUnsafe(Math.max(pending.length * 2, used + most));
        pending.copy(larger, 0, 0, used);
        pending = larger;
      }
      used = writeLogRecord(pending, used, event);
      events += 1;
      if (events % eventsPerLink === 0)
        used = hash('sha256', pending.subarray(0, used), 'buffer').copy(pending);
    },
    hash: () =>
      used === linkBytes
        ? pending.toString('hex', 0, linkBytes)
        : hash('sha256', pending.subarray(0, used), 'hex'),
    events: () => events,
  };
}

/** What of an event is the same on every server: two of them take it at different positions. */
export const portableRecord = (event: RawEvent): RawEvent => ({
  ...event,
  position: 0,
  createdTicks: '',
  ...(event.type === '$streamDeleted' && { id: '' }),
});

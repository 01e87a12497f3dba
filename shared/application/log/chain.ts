import { hash } from 'node:crypto';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

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
      const most = mostBytes(event);
      if (used + most > pending.length) {
        const larger = Buffer.allocUnsafe(Math.max(pending.length * 2, used + most));
        pending.copy(larger, 0, 0, used);
        pending = larger;
      }
      used = writeRecord(pending, used, event);
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

const hashedTexts = ({
  stream,
  id,
  type,
  contentType,
  createdTicks,
}: RawEvent): readonly string[] => [stream, id, type, contentType, createdTicks];

function mostBytes(event: RawEvent): number {
  let length = 16 + event.data.length + event.metadata.length + 4 * 7;
  for (const text of hashedTexts(event)) length += text.length * 3;
  return length;
}

/**
 * Position and revision, then texts and bytes, each preceded by its length, so that the encoding is
 * unambiguous.
 */
function writeRecord(out: Buffer, from: number, event: RawEvent): number {
  let at = writeNumber(out, from, event.position);
  at = writeNumber(out, at, event.revision);
  for (const text of hashedTexts(event)) {
    const written = out.write(text, at + 4, 'utf8');
    out.writeUInt32BE(written, at);
    at += 4 + written;
  }
  for (const bytes of [event.data, event.metadata]) {
    at = out.writeUInt32BE(bytes.length, at);
    at += bytes.copy(out, at);
  }
  return at;
}

/** Writes a number as 64 bits, big-endian. */
function writeNumber(out: Buffer, at: number, value: number): number {
  out.writeUInt32BE(Math.floor(value / 4_294_967_296), at);
  return out.writeUInt32BE(value % 4_294_967_296, at + 4);
}

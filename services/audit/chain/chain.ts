import { hash } from 'node:crypto';
import type { LogEvent } from '../log/log-event.ts';

/** A hash over all events of the journal so far: each link is SHA-256 of the link before it and one whole event. */
export type Chain = {
  add(event: LogEvent): void;
  /** Hexadecimal. */
  hash(): string;
  events(): number;
};

/** What comes before the first event, so that no chain of another purpose is one of these. */
const start = hash('sha256', 'payment gateway journal, chain 1', 'buffer');

/** The link after one more event. Lengths go before texts: no two events spell the same record. */
export function link(before: Buffer, event: LogEvent): Buffer {
  const texts = [event.stream, event.id, event.type, event.contentType, event.createdTicks];
  let length = 32 + 16 + texts.length * 4 + 8 + event.data.length + event.metadata.length;
  for (const text of texts) length += Buffer.byteLength(text, 'utf8');
  const record = Buffer.allocUnsafe(length);
  let at = before.copy(record);
  at = record.writeBigUInt64BE(BigInt(event.position), at);
  at = record.writeBigUInt64BE(BigInt(event.revision), at);
  for (const text of texts) {
    const written = record.write(text, at + 4, 'utf8');
    record.writeUInt32BE(written, at);
    at += 4 + written;
  }
  for (const bytes of [event.data, event.metadata]) {
    at = record.writeUInt32BE(bytes.length, at);
    at += bytes.copy(record, at);
  }
  return hash('sha256', record, 'buffer');
}

export function createChain(): Chain {
  let last: Buffer = start;
  let events = 0;
  return {
    add: (event) => {
      last = link(last, event);
      events += 1;
    },
    hash: () => last.toString('hex'),
    events: () => events,
  };
}

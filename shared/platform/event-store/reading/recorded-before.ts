import type { RawEvent } from './raw-event.ts';

/**
 * An EventStoreDB sets the time of an event itself. In a log that was moved to one, the metadata of
 * an event begin with the time that the first log has.
 */
const start = Buffer.from('{"$created":"', 'latin1');
const quote = 0x22;
const comma = 0x2c;
const brace = 0x7b;

/** Whether there is a member before which the time can be written. */
export const canHoldTime = ({ metadata }: Pick<RawEvent, 'metadata'>): boolean =>
  metadata.length > 2 && metadata[0] === brace && metadata[1] === quote;

/** The metadata of an event with its time. */
export function withTime({ metadata, createdTicks }: RawEvent): Buffer {
  return canHoldTime({ metadata })
    ? Buffer.concat([start, Buffer.from(`${createdTicks}",`, 'latin1'), metadata.subarray(1)])
    : metadata;
}

/**
 * Gives an event the time and the metadata that it had in the first log; in place. Anyone who can
 * append can name a time: the audit believes it only in the part of a log that was moved.
 */
export function restoreTime(event: RawEvent): void {
  const { metadata } = event;
  if (
    metadata.length < start.length ||
    metadata.compare(start, 0, start.length, 0, start.length) !== 0
  )
    return;
  const end = metadata.indexOf(quote, start.length);
  if (end < 0 || metadata[end + 1] !== comma) return;
  event.storeTicks = event.createdTicks;
  event.createdTicks = metadata.toString('latin1', start.length, end);
  metadata[end + 1] = brace;
  event.metadata = metadata.subarray(end + 1);
}

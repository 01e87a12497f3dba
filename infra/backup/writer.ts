import { randomBytes } from 'node:crypto';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { BackupLock } from './lease.ts';
import { BackupRefusal } from './refusal.ts';
import { encodeSegment, isSameBeginning, readSegment, type Segment } from './segment.ts';
import { findLastSegment, loadSegment, segmentName, type BackupStore } from './segments.ts';

/** The figures of a copy. */
export type BackupTotals = {
  /** Of the newest event in it, 0 without one. */
  position: number;
  events: number;
  /** Uncompressed. */
  bytes: number;
};

export type BackupWriter = {
  /** The newest segment. */
  last(): Segment | undefined;
  totals(): BackupTotals;
  /** Adds a segment; once it resolves, it is durable. @throws BackupRefusal if another one did */
  write(events: readonly [RawEvent, ...RawEvent[]]): Promise<void>;
};

/**
 * Continues the copy in a store at its end. @throws BackupDamage if its end is damaged: nothing can
 * be added to it
 * @param known the number of a segment that this process has read or written
 */
export async function openWriter(
  store: BackupStore,
  { isHeld }: Pick<BackupLock, 'isHeld'>,
  known = 0,
): Promise<BackupWriter> {
  const count = await findLastSegment(store, known);
  let last = count === 0 ? undefined : await loadSegment(store, count);
  return {
    last: () => last,
    totals: () => ({
      position: last?.header.last_position ?? 0,
      events: last?.header.total_events ?? 0,
      bytes: last?.header.total_bytes ?? 0,
    }),
    write: async (events) => {
      const previous = last ?? randomBytes(32).toString('hex');
      const segment = await encodeSegment(events, { previous, writtenAt: new Date() });
      const name = segmentName(segment.header.sequence);
      // Its number is the fence: of two processes only one gets it.
      if (!(await store.create(name, segment.bytes))) {
        // A write without an answer, also of a process that was killed, may take effect later.
        if ((await isHeld()) && (await continues(store, last, events)))
          throw new Error(`${name} was written later than expected`);
        throw new BackupRefusal(`${name} was written by another backup to the same target.`);
      }
      last = segment;
    },
  };
}

/** Whether the object that has the next name has what this copy would have there. */
async function continues(
  store: BackupStore,
  last: Segment | undefined,
  events: readonly RawEvent[],
): Promise<boolean> {
  const sequence = (last?.header.sequence ?? 0) + 1;
  const stored = await loadSegment(store, sequence);
  // Each try begins a copy with another random text.
  if (last && stored.header.previous !== last.hash) return false;
  return isSameBeginning(await readSegment(segmentName(sequence), stored), events);
}

import type { Kysely } from 'kysely';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { liveSchema, type ReadModel } from './read-model.ts';
import { readCheckpoint } from './runner/checkpoint.ts';
import { firstMissing } from './runner/lag.ts';

const readMs = 2_000;
/** How far the clocks of the gateways and of the log's nodes may differ. */
export const clocksMs = 1_000;

/** Whether a time of the log lies in the future of this clock, which then can't judge by it. */
export const isInFuture = (time: Date, nowMs: number): boolean => time.getTime() > nowMs + clocksMs;

/**
 * The log's leader sets an event's time when it writes it, and shows the event once it is
 * committed. A commit that takes longer than 2 s has failed.
 */
const commitMs = 2_000;
/** While the log shows nothing new, events younger than this may still appear. */
const settledMs = commitMs + clocksMs;

/**
 * A time in epoch milliseconds before which the read model's tables are complete; never later than
 * now. It reads the log after their checkpoint. Concurrent callers share one answer, which may be a
 * moment older. Call it before you read the tables.
 * @throws when the database or the log can't be read, or the oldest event that the tables lack lies
 *   in the future
 */
export function createCompleteToReader<DB>(
  { db, store, model }: { db: Kysely<DB>; store: EventStore; model: ReadModel },
  now: () => number = Date.now,
): () => Promise<number> {
  const read = async () => {
    const nowMs = now();
    const settled = nowMs - settledMs;
    const checkpoint = await readCheckpoint(db, { model, schema: liveSchema });
    const { streamPrefixes } = model;
    const missing = await firstMissing(store, {
      position: checkpoint?.at?.position,
      streamPrefixes,
    });
    if (missing) {
      // Those after it may be from any time before it.
      if (isInFuture(missing.created, nowMs))
        throw new Error('an event that the tables lack lies in the future');
      // The clock of another leader, who wrote those after it, may be behind.
      return Math.min(missing.created.getTime() - clocksMs, settled);
    }
    const newest = checkpoint?.last && (await readEvent(store, checkpoint.last));
    // The log is ordered by time, unless a clock was set: whatever happened earlier than this event
    // is before it.
    if (!newest || isInFuture(newest.created, nowMs)) return settled;
    return Math.max(settled, newest.created.getTime() - clocksMs);
  };
  let reading: Promise<number> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

const readEvent = async (
  store: EventStore,
  { stream, revision }: { stream: string; revision: number },
) => (await store.read(stream, { fromRevision: revision, maxCount: 1, deadlineMs: readMs }))[0];

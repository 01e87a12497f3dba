import type { Kysely } from 'kysely';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { liveSchema, type ReadModel } from './read-model.ts';
import { readCheckpoint } from './runner/checkpoint.ts';
import { firstMissing } from './runner/lag.ts';

const readMs = 2_000;
/** How far the clocks of the gateways and of the log's nodes may stand apart. */
const clocksMs = 1_000;
/**
 * The log's leader gives an event its time when it writes it, and shows it once it is committed. A commit that takes
 * longer than 2 s has failed.
 */
const commitMs = 2_000;
/** What is younger than that by the clock is not vouched for while the log shows nothing new. */
const settledMs = commitMs + clocksMs;

/**
 * A time, in epoch milliseconds: the read model's tables have everything that happened before it:
 * the log is asked what comes after their checkpoint. Who asks while that goes on shares the
 * answer, which is as true and a moment older. To be asked before the tables are read. @throws when
 * the database or the log can't be read
 */
export function createAsOf<DB>(
  { db, store, model }: { db: Kysely<DB>; store: EventStore; model: ReadModel },
  now: () => number = Date.now,
): () => Promise<number> {
  const read = async () => {
    const settled = now() - settledMs;
    const checkpoint = await readCheckpoint(db, { model, schema: liveSchema });
    const { streamPrefixes } = model;
    const missing = await firstMissing(store, { position: checkpoint?.position, streamPrefixes });
    if (missing) return Math.min(missing.created.getTime(), settled);
    // The log is in order: what has an earlier time than an event that it shows stands before that.
    const newest = checkpoint?.last && (await readEvent(store, checkpoint.last));
    return newest ? Math.max(settled, newest.created.getTime() - clocksMs) : settled;
  };
  let reading: Promise<number> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

const readEvent = async (store: EventStore, { stream, revision }: { stream: string; revision: number }) =>
  (await store.read(stream, { fromRevision: revision, maxCount: 1, deadlineMs: readMs }))[0];

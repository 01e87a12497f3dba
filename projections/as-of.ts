import type { Kysely } from 'kysely';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { liveSchema, type ReadModel } from './read-model.ts';
import { readCheckpoint } from './runner/checkpoint.ts';
import { firstMissing } from './runner/lag.ts';

const readMs = 2_000;
/** How far the clocks of the gateways and of the log's nodes may differ. */
const clocksMs = 1_000;
/**
 * The log's leader gives an event its time when it writes it, and shows it once it is committed. A
 * commit that takes longer than 2 s has failed.
 */
const commitMs = 2_000;
/** What is younger than that by the clock is not vouched for while the log shows nothing new. */
const settledMs = commitMs + clocksMs;

/**
 * A time in epoch milliseconds: the read model's tables have everything that happened before it.
 * The log is asked what comes after their checkpoint. Callers who ask meanwhile share the answer:
 * it is as true, and a moment older. Ask before you read the tables. @throws when the database or
 * the log can't be read
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
    // The log is in order of time: what happened earlier than this event stands before it.
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

const readEvent = async (
  store: EventStore,
  { stream, revision }: { stream: string; revision: number },
) => (await store.read(stream, { fromRevision: revision, maxCount: 1, deadlineMs: readMs }))[0];

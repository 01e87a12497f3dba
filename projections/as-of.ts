import type { Kysely } from 'kysely';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { liveSchema, type ReadModel } from './read-model.ts';
import { readCheckpoint } from './runner/checkpoint.ts';
import { firstMissing } from './runner/lag.ts';

/**
 * An event has its time before the log shows it, and the log's clock need not be ours: what is younger than this is not
 * vouched for while the log shows nothing new.
 */
const settledMs = 2_000;

/**
 * Tells a time, in epoch milliseconds, before which nothing happened that the read model's tables lack: the log is asked
 * what comes after their checkpoint. Who asks while that goes on shares the answer, which is as true and a moment older.
 * To be asked before the tables are read. @throws when the database or the log can't be read
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
    return missing ? Math.min(missing.created.getTime(), settled) : settled;
  };
  let reading: Promise<number> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

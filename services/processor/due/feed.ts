import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { follow, type EventStore, type LogItem } from '#shared/event-store/index.ts';
import type { Logger } from '#shared/logger.ts';
import type { Timings } from './next-look.ts';
import { workIn, type Mark, type Row } from './rows.ts';
import { streamPrefixes } from './streams.ts';
import type { ProcessorDatabase } from './tables.ts';

type Db = Kysely<ProcessorDatabase>;

export type FeedOptions = {
  db: Db;
  store: EventStore;
  timings: Timings;
  logger: Logger;
  /** Called when there may be work that is due at once. */
  onNews(): void;
  signal: AbortSignal;
};

const feedName = 'operations';
/** "processor feed", as the lock's number. */
const lockKey = 7_305_011;
const standbyMs = 500;
/** Each batch is a transaction: under load, twenty a second are enough. */
const lingerMs = 50;

/**
 * Reads the log into the table of due work, rows and checkpoint in one transaction. One process at a time does, under
 * a lock that PostgreSQL frees as soon as that process is gone; the others stand by.
 */
export async function runFeed(options: FeedOptions): Promise<void> {
  const { db, logger, signal } = options;
  while (!signal.aborted) {
    try {
      await db.connection().execute((connection) => feedWhileLocked(connection, options));
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, 'the feed lost its connection to the database');
    }
    await delay(standbyMs, undefined, { signal }).catch(() => undefined);
  }
}

async function feedWhileLocked(connection: Db, options: FeedOptions): Promise<void> {
  const lock = await sql<{ held: boolean }>`select pg_try_advisory_lock(${lockKey}) as held`.execute(
    connection,
  );
  if (!lock.rows[0]?.held) return;
  const lost = new AbortController();
  // Where nothing happens nothing would tell that the connection, and with it the lock, is gone.
  const watch = setInterval(() => {
    sql`select 1`.execute(connection).catch(() => lost.abort());
  }, 2_000);
  let position: string | undefined;
  let caughtUp = false;
  try {
    await follow({
      store: options.store,
      filter: { streamPrefixes },
      lingerMs,
      checkpoint: async () => {
        caughtUp = false;
        position = await readCheckpoint(connection).catch((error: unknown) => {
          lost.abort();
          throw error;
        });
        return position === undefined ? undefined : BigInt(position);
      },
      handle: async (batch) => {
        caughtUp ||= batch.some(({ kind }) => kind === 'caught_up');
        const to = endOf(batch) ?? position;
        if (to === undefined) return;
        const { timings } = options;
        await keepBatch(connection, { batch, from: position, to, caughtUp, timings }).catch(
          (error: unknown) => {
            lost.abort();
            throw error;
          },
        );
        position = to;
        options.onNews();
      },
      onError: (error) => options.logger.warn({ err: error }, 'the feed is interrupted'),
      signal: AbortSignal.any([options.signal, lost.signal]),
    });
  } finally {
    clearInterval(watch);
    await sql`select pg_advisory_unlock(${lockKey})`.execute(connection).catch(() => undefined);
  }
}

async function readCheckpoint(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('processor.feed')
    .select('position')
    .where('name', '=', feedName)
    .executeTakeFirst();
  return row?.position;
}

type Batch = {
  batch: LogItem[];
  from: string | undefined;
  to: string;
  caughtUp: boolean;
  timings: Timings;
};

async function keepBatch(db: Db, { batch, from, to, caughtUp, timings }: Batch): Promise<void> {
  const { rows, marks } = workIn(batch, timings);
  await db.transaction().execute(async (trx) => {
    const moved =
      from === undefined
        ? await trx
            .insertInto('processor.feed')
            .values({ name: feedName, position: to, caught_up: caughtUp })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst()
        : await trx
            .updateTable('processor.feed')
            .set(caughtUp ? { position: to, caught_up: true } : { position: to })
            .where('name', '=', feedName)
            .where('position', '=', from)
            .executeTakeFirst();
    const count = 'numUpdatedRows' in moved ? moved.numUpdatedRows : (moved.numInsertedOrUpdatedRows ?? 0n);
    if (count !== 1n) throw new Error('another feed moved the checkpoint');
    if (rows.length > 0) await upsert(trx, rows);
    // After the rows: what one batch asks for may be done in the same.
    if (marks.length > 0) await markDone(trx, marks);
  });
}

async function upsert(db: Db, rows: readonly Row[]): Promise<void> {
  await sql`
    with news as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as news (stream text, due_at timestamptz, heard_at timestamptz, revision integer)
    ), known as (
      update processor.due set heard_at = news.heard_at, revision = news.revision, asks = 0
      from news
      where due.stream = news.stream and news.due_at is null and due.revision < news.revision
    )
    insert into processor.due (stream, due_at, heard_at, revision)
    select stream, due_at, heard_at, revision from news where due_at is not null
    on conflict (stream) do update
      set due_at = excluded.due_at, heard_at = excluded.heard_at, revision = excluded.revision,
          asks = 0, tries = 0
      where due.revision < excluded.revision`.execute(db);
}

async function markDone(db: Db, marks: readonly Mark[]): Promise<void> {
  await sql`
    update processor.due set done = array(select distinct unnest(due.done || news.done))
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as news (stream text, done text[])
    where due.stream = news.stream`.execute(db);
}

function endOf(batch: readonly LogItem[]): string | undefined {
  const last = batch.findLast((item) => item.kind !== 'caught_up');
  if (!last) return undefined;
  return (last.kind === 'event' ? last.event.position : last.position).toString();
}

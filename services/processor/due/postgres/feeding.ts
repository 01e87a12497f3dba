import { sql, type Kysely } from 'kysely';
import { letGo, speakEveryMs, tryHold } from '#shared/database/held-lock.ts';
import type { FeedSession, ReadOn } from '../due-work.ts';
import { workIn, type Mark, type Row } from '../rows.ts';
import type { ProcessorDatabase } from './tables.ts';

type Db = Kysely<ProcessorDatabase>;

const feedName = 'operations';
const lock = 'processor: feed';

/**
 * Feeds under a lock that PostgreSQL frees as soon as this process, or its connection, is gone or silent. Rows and checkpoint go in
 * one transaction, and only while the checkpoint is the one that the session knows.
 */
export async function feedWhileLocked(
  connection: Db,
  feed: (session: FeedSession) => Promise<void>,
): Promise<void> {
  if (!(await tryHold(connection, lock))) return;
  const lost = new AbortController();
  const orLost = (error: unknown): never => {
    lost.abort();
    throw error;
  };
  // Where nothing happens nothing would tell that the connection, and with it the lock, is gone.
  const watch = setInterval(() => {
    sql`select 1`.execute(connection).catch(() => lost.abort());
  }, speakEveryMs);
  try {
    await feed({
      position: () => readCheckpoint(connection).catch(orLost),
      keep: (read) => keepBatch(connection, read).catch(orLost),
      lost: lost.signal,
    });
  } finally {
    clearInterval(watch);
    await letGo(connection);
  }
}

async function readCheckpoint(db: Db): Promise<bigint | undefined> {
  const row = await db
    .selectFrom('processor.feed')
    .select('position')
    .where('name', '=', feedName)
    .executeTakeFirst();
  return row && BigInt(row.position);
}

async function keepBatch(db: Db, { batch, from, to, caughtUp, timings }: ReadOn): Promise<void> {
  const { rows, marks } = workIn(batch, timings);
  const position = to.toString();
  await db.transaction().execute(async (trx) => {
    const moved =
      from === undefined
        ? await trx
            .insertInto('processor.feed')
            .values({ name: feedName, position, caught_up: caughtUp })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst()
        : await trx
            .updateTable('processor.feed')
            .set(caughtUp ? { position, caught_up: true } : { position })
            .where('name', '=', feedName)
            .where('position', '=', from.toString())
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

import { sql, type Kysely } from 'kysely';
import {
  releaseSessionLocks,
  speakEveryMs,
  trySessionLock,
} from '#shared/platform/database/session-lock.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import {
  checkpointFromRow,
  identityToJson,
  type LogCheckpoint,
} from '#shared/platform/event-store/index.ts';
import type { DueRow } from '../due-queue.ts';
import type { DueStore, StoredDueWork, LeadSession } from '../due-store.ts';
import { processorMigrations, type ProcessorDatabase } from './tables.ts';

type Db = Kysely<ProcessorDatabase>;

const feedName = 'operations';
const lock = 'processor: feed';
/** Rows in one statement. */
const rowsAtOnce = 5_000;

/**
 * Due work in PostgreSQL. Its tables are created when it first responds. Its lock is released when
 * the leader or its connection ends or goes silent.
 */
export function createDueStore(db: Db): DueStore {
  let hasTables = false;
  return {
    whileLeading: async (lead) => {
      if (!hasTables) await migrate(db, processorMigrations);
      hasTables = true;
      await db.connection().execute((connection) => leadWhileLocked(connection, lead));
    },
  };
}

async function leadWhileLocked(
  connection: Db,
  lead: (session: LeadSession) => Promise<void>,
): Promise<void> {
  if (!(await trySessionLock(connection, lock))) return;
  const lost = new AbortController();
  const orLost = (error: unknown): never => {
    lost.abort();
    throw error;
  };
  // Without traffic the process would not notice that the connection, and with it the lock, is
  // lost.
  const watch = setInterval(() => {
    sql`select 1`.execute(connection).catch(() => lost.abort());
  }, speakEveryMs);
  try {
    await lead({
      load: () => load(connection).catch(orLost),
      save: (work) =>
        saveWork(connection, work).catch(async (error: unknown) => {
          if (error instanceof PositionMoved) orLost(error);
          // While the connection responds it holds the lock: only the write was refused.
          await sql`select 1`.execute(connection).catch(() => orLost(error));
          throw error;
        }),
      lost: lost.signal,
    });
  } finally {
    clearInterval(watch);
    await releaseSessionLocks(connection);
  }
}

async function load(db: Db): Promise<StoredDueWork> {
  const feed = await db
    .selectFrom('processor.feed')
    .select(['position', 'event'])
    .where('name', '=', feedName)
    .executeTakeFirst();
  const rows = await db.selectFrom('processor.due').selectAll().execute();
  return {
    checkpoint: feed && checkpointFromRow(feed.position, feed.event),
    rows: rows.map(
      ({
        due_at: dueAt,
        heard_at: heardAt,
        asks: pollsWithoutChange,
        last_error: error,
        waits_for: waitsFor,
        ...row
      }) => ({
        ...row,
        pollsWithoutChange,
        dueMs: dueAt.getTime(),
        lastActivityMs: heardAt.getTime(),
        ...(error !== null && { error }),
        ...(waitsFor !== null && { waitsFor }),
      }),
    ),
  };
}

class PositionMoved extends Error {}

async function saveWork(
  db: Db,
  { from, to, changed, removed }: Parameters<LeadSession['save']>[0],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // If it is lost in a power failure, it is derived again from the log and the previous save.
    await sql`set local synchronous_commit = off`.execute(trx);
    await movePosition(trx, from, to);
    for (let at = 0; at < changed.length; at += rowsAtOnce)
      await upsert(trx, changed.slice(at, at + rowsAtOnce));
    if (removed.length > 0)
      await sql`delete from processor.due where stream = any(${removed})`.execute(trx);
  });
}

async function movePosition(trx: Db, from: bigint | undefined, to: LogCheckpoint): Promise<void> {
  const position = to.position.toString();
  const event = identityToJson(to);
  const moved =
    from === undefined
      ? await trx
          .insertInto('processor.feed')
          .values({ name: feedName, position, event })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
      : await trx
          .updateTable('processor.feed')
          .set({ position, event })
          .where('name', '=', feedName)
          .where('position', '=', from.toString())
          .executeTakeFirst();
  const count =
    'numUpdatedRows' in moved ? moved.numUpdatedRows : (moved.numInsertedOrUpdatedRows ?? 0n);
  if (count !== 1n) throw new PositionMoved('another leader moved the position');
}

async function upsert(db: Db, rows: readonly DueRow[]): Promise<void> {
  const changes = rows.map(
    ({ dueMs, lastActivityMs, pollsWithoutChange, error, waitsFor, ...row }) => ({
      ...row,
      asks: pollsWithoutChange,
      // PostgreSQL refuses the year 0 and this character. A single row with either would make every
      // save fail.
      due_at: new Date(Math.max(0, dueMs)).toISOString(),
      heard_at: new Date(lastActivityMs).toISOString(),
      last_error: error?.toWellFormed().replaceAll('\0', '\uFFFD') ?? null,
      waits_for: waitsFor ?? null,
    }),
  );
  await sql`
    insert into processor.due (stream, due_at, heard_at, revision, asks, tries, done, last_error, waits_for)
    select stream, due_at, heard_at, revision, asks, tries, done, last_error, waits_for
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as changes (stream text, due_at timestamptz,
      heard_at timestamptz, revision integer, asks integer, tries integer, done text[], last_error text,
      waits_for text)
    on conflict (stream) do update
      set due_at = excluded.due_at, heard_at = excluded.heard_at, revision = excluded.revision,
          asks = excluded.asks, tries = excluded.tries, done = excluded.done,
          last_error = excluded.last_error, waits_for = excluded.waits_for`.execute(db);
}

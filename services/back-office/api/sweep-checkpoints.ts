import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import {
  checkpointFromRow,
  identityToJson,
  type LogCheckpoint,
  type StoredIdentity,
} from '#shared/platform/event-store/index.ts';
import { migrate } from '#shared/platform/database/migrate.ts';

/** Up to where each kind of work is finished, by its streams' prefix. */
export type SweepCheckpoints = {
  /** Undefined if there is none or it can't be read: then the whole log is read. */
  find(prefix: string): Promise<LogCheckpoint | undefined>;
  /** The checkpoint has its event: the position alone means nothing in another log. */
  keep(prefix: string, checkpoint: LogCheckpoint): Promise<void>;
};

type CheckpointTable = { prefix: string; position: string; event: StoredIdentity | null };

export type SweepCheckpointsDatabase = { 'admin.mark': CheckpointTable };

const initial = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table admin.mark (prefix text primary key, position numeric not null, newest jsonb)`.execute(
      db,
    );
    await sql`comment on table admin.mark is
      'Before where in the log no work of these streams is open: its follow-up begins there'`.execute(
      db,
    );
  },
};

/**
 * `newest` did not name the log that the position is of. It stays, because the version before
 * writes it while both run.
 */
const checkpointEvent = {
  up: async (db: Kysely<unknown>) => {
    await sql`alter table admin.mark add column event jsonb`.execute(db);
    await sql`comment on column admin.mark.event is
      'The event at the position: without it there, the log is another one'`.execute(db);
  },
};

/** Migrates the schema `admin`; for every instance of the admin service, at its start. */
export async function migrateSweepCheckpoints<DB>(db: Kysely<DB>): Promise<void> {
  const migrations = { '001-marks': initial, '002-checkpoint-event': checkpointEvent };
  await migrate(db, { schema: 'admin', migrations });
}

/** Sweeps don't wait longer than this for the database. */
const answerWithinMs = 10_000;

/** Checkpoints in PostgreSQL; `prepared` settles once its tables exist. */
export function createSweepCheckpoints(
  db: Kysely<SweepCheckpointsDatabase>,
  prepared: Promise<unknown>,
): SweepCheckpoints {
  const find = async (prefix: string): Promise<LogCheckpoint | undefined> => {
    await prepared;
    const row = await db
      .selectFrom('admin.mark')
      .select(['position', 'event'])
      .where('prefix', '=', prefix)
      .executeTakeFirst();
    // An earlier version saved no event.
    return row?.event ? checkpointFromRow(row.position, row.event) : undefined;
  };
  return {
    find: (prefix) =>
      Promise.race([find(prefix), delay(answerWithinMs, undefined, { ref: false })]).catch(
        () => undefined,
      ),
    keep: async (prefix, checkpoint) => {
      const row = { position: checkpoint.position.toString(), event: identityToJson(checkpoint) };
      await sql`
        insert into admin.mark (prefix, position, event) values (${prefix}, ${row.position}, ${row.event}::jsonb)
        on conflict (prefix) do update set position = excluded.position, event = excluded.event`.execute(
        db,
      );
    },
  };
}

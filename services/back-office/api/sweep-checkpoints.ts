import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventIdentity } from '#shared/platform/event-store/index.ts';
import { migrate } from '#shared/platform/database/migrate.ts';

/** All work begun by events up to `position` is finished. */
export type SweepCheckpoint = {
  position: bigint;
  /** The newest event of this work that was seen. */
  newest: EventIdentity | undefined;
};

/** Up to where each kind of work is finished, by its streams' prefix. */
export type SweepCheckpoints = {
  /** Undefined if there is none or it can't be read: then the whole log is read. */
  find(prefix: string): Promise<SweepCheckpoint | undefined>;
  keep(prefix: string, checkpoint: SweepCheckpoint): Promise<void>;
};

type CheckpointTable = {
  prefix: string;
  position: string;
  newest: { stream: string; revision: number; id: string } | null;
};

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

/** Migrates the schema `admin`; for every instance of the admin service, at its start. */
export async function migrateSweepCheckpoints<DB>(db: Kysely<DB>): Promise<void> {
  await migrate(db, { schema: 'admin', migrations: { '001-marks': initial } });
}

/** Sweeps don't wait longer than this for the database. */
const answerWithinMs = 10_000;

/** Checkpoints in PostgreSQL; `prepared` settles once its tables exist. */
export function createSweepCheckpoints(
  db: Kysely<SweepCheckpointsDatabase>,
  prepared: Promise<unknown>,
): SweepCheckpoints {
  const find = async (prefix: string): Promise<SweepCheckpoint | undefined> => {
    await prepared;
    const row = await db
      .selectFrom('admin.mark')
      .select(['position', 'newest'])
      .where('prefix', '=', prefix)
      .executeTakeFirst();
    return row && { position: BigInt(row.position), newest: row.newest ?? undefined };
  };
  return {
    find: (prefix) =>
      Promise.race([find(prefix), delay(answerWithinMs, undefined, { ref: false })]).catch(
        () => undefined,
      ),
    keep: async (prefix, { position, newest }) => {
      const row = { position: position.toString(), newest: newest ? JSON.stringify(newest) : null };
      await sql`
        insert into admin.mark (prefix, position, newest) values (${prefix}, ${row.position}, ${row.newest}::jsonb)
        on conflict (prefix) do update set position = excluded.position, newest = excluded.newest`.execute(
        db,
      );
    },
  };
}

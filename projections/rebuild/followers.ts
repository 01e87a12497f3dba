import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import { savedCheckpoints } from '#shared/application/log/saved-checkpoints.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import {
  checkpointFromRow,
  findCheckpoint,
  replicaLagMs,
  type EventStore,
  type LogCheckpoint,
  type StoredIdentity,
} from '#shared/platform/event-store/index.ts';
import { removeMessagesNotIn } from './messages-not-in-log.ts';

/** Followers without tables that are rebuilt from the log. */
type FollowerName = Exclude<keyof typeof savedCheckpoints, 'projections'>;

type FollowerReset = {
  /** Makes it read the log from the start. A process that follows meanwhile notices that. */
  reset(tx: Transaction<unknown>): Promise<unknown>;
  before?(db: Kysely<unknown>, store: EventStore): Promise<string>;
};

const removeLostMessages: FollowerReset['before'] = async (db, store) => {
  await migrateWebhooks(db);
  const removed = await removeMessagesNotIn(store, db);
  return `  ${removed} webhooks of events that are not in the log are in webhooks.message_not_in_log now\n`;
};

const resets: Record<FollowerName, FollowerReset> = {
  processor: {
    // Due work is derived again from the log, which also has what is already done.
    reset: async (tx) => {
      await sql`delete from processor.feed`.execute(tx);
      await sql`delete from processor.due`.execute(tx);
    },
  },
  'webhooks.relay': {
    // Without a checkpoint the relay replaces the stream.
    reset: (tx) =>
      sql`
        update webhooks.relay set position = -1, position_event = null, ingested_position = null,
          ingested_event = null, stream_created = '', stream_sequence = 0, generation = generation + 1,
          updated_at = now()`.execute(tx),
    before: removeLostMessages,
  },
  'webhooks.reconcile': {
    reset: (tx) => sql`delete from webhooks.reconciliation`.execute(tx),
    before: removeLostMessages,
  },
  admin: { reset: (tx) => sql`delete from admin.mark`.execute(tx) },
};

export const followerNames = Object.keys(resets) as readonly FollowerName[];

type Reset = {
  db: Kysely<unknown>;
  store: EventStore;
  /** Requested by name: then also one whose row has no event, and may be of any log. */
  named?: boolean;
  /** Until when a replica of the store that is behind may show the checkpoint. */
  shownBy?: number;
};

/**
 * Makes a follower read the log from its start, unless its checkpoint is in it.
 * @returns what was done, in lines
 */
export async function resetFollower(
  name: FollowerName,
  { db, store, named = false, shownBy = performance.now() + replicaLagMs }: Reset,
): Promise<string> {
  const rows = await readSaved(db, savedCheckpoints[name]);
  if (rows.length === 0) return `${name}: it has no checkpoint\n`;
  const checkpoints = rows.map(({ position, event }) => checkpointFromRow(position, event));
  const haveEvents = checkpoints.every(({ event }) => event !== undefined);
  if ((haveEvents || !named) && (await areInLog(store, checkpoints, shownBy)))
    return haveEvents
      ? `${name}: its checkpoint is in the log\n  nothing was changed\n`
      : `${name}: its checkpoint is within the log, and has no event yet\n  nothing was changed\n`;
  const { before, reset } = resets[name];
  const more = await before?.(db, store);
  await db.transaction().execute(reset);
  return `${name}: its checkpoint is not known to be in the log\n${more ?? ''}  it reads the log from the start\n`;
}

async function areInLog(
  store: EventStore,
  checkpoints: readonly LogCheckpoint[],
  shownBy: number,
): Promise<boolean> {
  for (const checkpoint of checkpoints)
    if (!(await isInLog(store, checkpoint, shownBy))) return false;
  return true;
}

async function isInLog(
  store: EventStore,
  checkpoint: LogCheckpoint,
  shownBy: number,
): Promise<boolean> {
  for (;;) {
    const finding = await findCheckpoint(store, checkpoint);
    if (finding !== 'beyond_end' || performance.now() >= shownBy) return finding === 'in_log';
    await delay(500);
  }
}

type Row = { position: string; event: StoredIdentity | null };

async function readSaved(
  db: Kysely<unknown>,
  { table, event }: (typeof savedCheckpoints)[FollowerName],
): Promise<Row[]> {
  const there = await sql<{ at: string | null }>`select to_regclass(${table})::text as at`.execute(
    db,
  );
  if (there.rows[0]?.at == null) return [];
  const { rows } = await sql<Row>`
    select position::text, to_jsonb(saved) -> ${sql.lit(event)} as event
    from ${sql.table(table)} as saved
    where position >= 0`.execute(db);
  return rows;
}

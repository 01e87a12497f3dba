import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
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

/** A follower with a checkpoint in PostgreSQL, but no tables that are rebuilt from the log. */
type Follower = {
  name: string;
  table: string;
  /** The companion column of `position`. */
  event: string;
  /** Makes it read the log from the start. A process that follows meanwhile notices that. */
  reset(tx: Transaction<unknown>): Promise<unknown>;
  before?(db: Kysely<unknown>, store: EventStore): Promise<string>;
};

const removeLostMessages: Follower['before'] = async (db, store) => {
  await migrateWebhooks(db);
  const removed = await removeMessagesNotIn(store, db);
  return `  ${removed} webhooks of events that are not in the log are in webhooks.message_not_in_log now\n`;
};

const followers: readonly Follower[] = [
  {
    name: 'processor',
    table: 'processor.feed',
    event: 'event',
    // Due work is derived again from the log, which also has what is already done.
    reset: async (tx) => {
      await sql`delete from processor.feed`.execute(tx);
      await sql`delete from processor.due`.execute(tx);
    },
  },
  {
    name: 'webhooks.relay',
    table: 'webhooks.relay',
    event: 'position_event',
    // Without a checkpoint the relay replaces the stream.
    reset: (tx) =>
      sql`
        update webhooks.relay set position = -1, position_event = null, ingested_position = null,
          ingested_event = null, stream_created = '', stream_sequence = 0, generation = generation + 1,
          updated_at = now()`.execute(tx),
    before: removeLostMessages,
  },
  {
    name: 'webhooks.reconcile',
    table: 'webhooks.reconciliation',
    event: 'position_event',
    reset: (tx) => sql`delete from webhooks.reconciliation`.execute(tx),
    before: removeLostMessages,
  },
];

export const followerNames: readonly string[] = followers.map(({ name }) => name);

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
  name: string,
  { db, store, named = false, shownBy = performance.now() + replicaLagMs }: Reset,
): Promise<string> {
  const follower = followers.find((each) => each.name === name);
  if (!follower) throw new Error(`there is no follower ${name}`);
  const row = await savedRow(db, follower);
  if (!row) return `${name}: it has no checkpoint\n`;
  const checkpoint = checkpointFromRow(row.position, row.event);
  const hasEvent = checkpoint.event !== undefined;
  if ((hasEvent || !named) && (await isInLog(store, checkpoint, shownBy)))
    return hasEvent
      ? `${name}: its checkpoint is in the log\n  nothing was changed\n`
      : `${name}: its checkpoint is within the log, and has no event yet\n  nothing was changed\n`;
  const more = await follower.before?.(db, store);
  await db.transaction().execute((tx) => follower.reset(tx));
  return `${name}: its checkpoint is not known to be in the log\n${more ?? ''}  it reads the log from the start\n`;
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

async function savedRow(db: Kysely<unknown>, { table, event }: Follower): Promise<Row | undefined> {
  const there = await sql<{ at: string | null }>`select to_regclass(${table})::text as at`.execute(
    db,
  );
  if (there.rows[0]?.at == null) return undefined;
  const { rows } = await sql<Row>`
    select position::text, to_jsonb(saved) -> ${sql.lit(event)} as event
    from ${sql.table(table)} as saved
    where position >= 0`.execute(db);
  return rows[0];
}

import { sql, type Kysely } from 'kysely';
import { savedCheckpoints } from '#shared/application/log/saved-checkpoints.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import {
  checkpointFromRow,
  identityToJson,
  type EventIdentity,
  type LogCheckpoint,
  type StoredIdentity,
} from '#shared/platform/event-store/index.ts';
import type { MoveLog, Logs } from './logs.ts';

const places = Object.values(savedCheckpoints);
type Place = (typeof places)[number];

type Row = { position: string; event: StoredIdentity | null };

/** A follower moves its checkpoint a few times a second until it is translated. */
const mostPasses = 100;

/**
 * Gives the saved checkpoints the positions that their events have in the target, until none has
 * another one: a follower of the source may move one that is being translated, and moves it no more
 * after that, because each continues from the one that it has. @returns how many can't be
 * translated, and have to be built anew
 */
export async function translateCheckpoints(databaseUrl: string, logs: Logs): Promise<number> {
  const db = connectDatabase<unknown>(databaseUrl, { applicationName: 'gateway-move' });
  try {
    await clearIngested(db);
    for (let passes = 1; ; passes += 1) {
      const { others, differing } = await translateAll(db, logs);
      if (differing === 0 || passes === mostPasses) return others + differing;
    }
  } finally {
    await db.destroy();
  }
}

/** @returns how many are not in the target, and how many had another position there */
async function translateAll(db: Kysely<unknown>, logs: Logs) {
  let [others, differing] = [0, 0];
  for (const place of places) {
    for (const row of await savedIn(db, place)) {
      const there = await findInTarget(logs, place, checkpointFromRow(row.position, row.event));
      if (there === 'other') others += 1;
      else if (there !== 'same') {
        differing += 1;
        await move(db, place, { row, to: there });
      }
    }
  }
  return { others, differing };
}

/** A position of the source, from which an earlier version of the relay continues. */
async function clearIngested(db: Kysely<unknown>): Promise<void> {
  if (!(await exists(db, 'webhooks.relay'))) return;
  await sql`
    update webhooks.relay set ingested_position = null, ingested_event = null
    where ingested_position is not null`.execute(db);
}

async function exists(db: Kysely<unknown>, table: string): Promise<boolean> {
  const { rows } = await sql<{ at: string | null }>`
    select to_regclass(${table})::text as at`.execute(db);
  return rows[0]?.at != null;
}

async function hasColumn(db: Kysely<unknown>, { table, event }: Place): Promise<boolean> {
  const { rows } = await sql`
    select from pg_attribute
    where attrelid = to_regclass(${table}) and attname = ${event} and not attisdropped`.execute(db);
  return rows.length > 0;
}

async function savedIn(db: Kysely<unknown>, place: Place): Promise<Row[]> {
  if (!(await exists(db, place.table))) return [];
  // The version before saved positions only; without an event, admin reads the log from its start.
  if (place === savedCheckpoints.admin && !(await hasColumn(db, place))) return [];
  const { rows } = await sql<Row>`
    select distinct position::text as position, ${sql.ref(place.event)} as event
    from ${sql.table(place.table)} where position > 0`.execute(db);
  return rows;
}

/**
 * Those of read models must grow by the move, or rows with older positions would be newer than what
 * follows.
 */
async function findInTarget(
  { source, target }: Logs,
  place: Place,
  { position: saved, event }: LogCheckpoint,
): Promise<LogCheckpoint | 'same' | 'other'> {
  // A row whose event is not that of its position was written by an earlier version.
  const savedEvent = event?.position === saved ? event : await eventAt(source, saved);
  if (!savedEvent) return 'other';
  const { stream, revision, id } = savedEvent;
  const [copy] = await target.store.read(stream, { fromRevision: revision, maxCount: 1 });
  if (copy?.id !== id || copy.revision !== revision) return 'other';
  if (place === savedCheckpoints.projections && copy.position < saved) return 'other';
  if (copy.position === saved) return 'same';
  return { position: copy.position, event: { stream, revision, id, position: copy.position } };
}

async function eventAt({ raw }: MoveLog, at: bigint): Promise<EventIdentity | undefined> {
  // Not every server answers for a position without an event.
  const located = await raw.at(Number(at)).catch(() => undefined);
  return located?.position === Number(at) ? { ...located, position: at } : undefined;
}

async function move(
  db: Kysely<unknown>,
  place: Place,
  { row, to }: { row: Row; to: LogCheckpoint },
): Promise<void> {
  await sql`
    update ${sql.table(place.table)}
    set position = ${to.position.toString()}, ${sql.ref(place.event)} = ${identityToJson(to)}::jsonb
    where position = ${row.position}::numeric
      and ${sql.ref(place.event)} is not distinct from ${row.event && JSON.stringify(row.event)}::jsonb`.execute(
    db,
  );
}

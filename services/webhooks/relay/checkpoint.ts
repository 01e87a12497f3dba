import { sql, type Kysely, type Selectable } from 'kysely';
import type { RelayTable, WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import {
  checkpointFromRow,
  identityToJson,
  type LogCheckpoint,
} from '#shared/platform/event-store/index.ts';

const key = 'operations';
/** A rebuild of the relay sets it. */
const reset = '-1';
/** Nothing was published yet. */
const start = '0';
/** An arbitrary number for the lock of the relay that replaces the stream. */
const replaceLock = 7_312_001;

/**
 * How far the stream has the log; undefined: nothing of it. Without a checkpoint, what the stream
 * holds is of another log or database, so it is replaced first.
 */
export async function openCheckpoint(
  db: Kysely<WebhooksDatabase>,
  replaceStream: () => Promise<unknown>,
): Promise<LogCheckpoint | undefined> {
  const row = (await load(db)) ?? (await db.transaction().execute(begin(replaceStream)));
  return row.position === start ? undefined : checkpointFromRow(row.position, row.position_event);
}

const begin =
  (replaceStream: () => Promise<unknown>) =>
  async (tx: Kysely<WebhooksDatabase>): Promise<Row> => {
    await sql`select pg_advisory_xact_lock(${replaceLock})`.execute(tx);
    // Another relay may have done it while this one waited for the lock.
    const other = await load(tx);
    if (other) return other;
    await replaceStream();
    // The last three columns are those of earlier versions.
    await sql`
      insert into webhooks.relay (name, position, stream_created, stream_sequence, generation)
      values (${key}, ${start}, '', 0, 0)
      on conflict (name) do update set position = excluded.position, position_event = null`.execute(
      tx,
    );
    return { position: start, position_event: null };
  };

/**
 * Advances the checkpoint; another relay may have advanced it further.
 * @returns false if it went back meanwhile: then the published pointers may be lost
 */
export async function advance(
  db: Kysely<WebhooksDatabase>,
  from: LogCheckpoint | undefined,
  to: LogCheckpoint,
): Promise<boolean> {
  const position = String(to.position);
  const { numAffectedRows } = await sql`
    update webhooks.relay
    set position = greatest(position, ${position}::bigint),
        position_event = case when position > ${position}::bigint then position_event
          else ${identityToJson(to)}::jsonb end,
        updated_at = now()
    where name = ${key} and position >= ${String(from?.position ?? start)}::bigint`.execute(db);
  return numAffectedRows === 1n;
}

type Row = Pick<Selectable<RelayTable>, 'position' | 'position_event'>;

const load = (db: Kysely<WebhooksDatabase>): Promise<Row | undefined> =>
  db
    .selectFrom('webhooks.relay')
    .select(['position', 'position_event'])
    .where('name', '=', key)
    .where('position', '!=', reset)
    .executeTakeFirst();

import { sql, type Kysely, type Selectable } from 'kysely';
import type { RelayTable, WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import {
  checkpointFromRow,
  identityToJson,
  type LogCheckpoint,
} from '#shared/platform/event-store/index.ts';

const key = 'operations';
/** The position that a rebuild of the relay sets, so that it starts without a checkpoint. */
const reset = '-1';
/** Nothing was published yet. */
const start = '0';
/** An arbitrary number for the lock of the relay that replaces the stream. */
const replaceLock = 7_312_001;

/** How far the stream has acknowledged the log; `at` is undefined before the first time. */
export type RelayCheckpoint = {
  at: LogCheckpoint | undefined;
  /** Grows with each stream that is replaced: a relay of an earlier one must not save. */
  generation: number;
};

/**
 * Without a checkpoint, what the stream holds is of another log or database, so it is replaced
 * first; `replaceStream` returns when the new one was created.
 */
export async function openCheckpoint(
  db: Kysely<WebhooksDatabase>,
  replaceStream: () => Promise<string>,
): Promise<RelayCheckpoint> {
  const row = (await load(db)) ?? (await db.transaction().execute(begin(replaceStream)));
  const { position, position_event, generation } = row;
  const at = position === start ? undefined : checkpointFromRow(position, position_event);
  return { at, generation };
}

/** How far the log was published; undefined: nothing was, as far as is known. */
export async function loadPublished(db: Kysely<WebhooksDatabase>): Promise<bigint | undefined> {
  const row = await load(db);
  return row && row.position !== start ? BigInt(row.position) : undefined;
}

const begin =
  (replaceStream: () => Promise<string>) =>
  async (tx: Kysely<WebhooksDatabase>): Promise<Row> => {
    await sql`select pg_advisory_xact_lock(${replaceLock})`.execute(tx);
    // Another relay may have done it while this one waited for the lock.
    const other = await load(tx);
    if (other) return other;
    const created = await replaceStream();
    // An earlier version compares the stream with `stream_created`, and goes back to `ingested_…`.
    const { rows } = await sql<Row>`
      insert into webhooks.relay (name, position, stream_created, stream_sequence, generation)
      values (${key}, ${start}, ${created}, 0, 0)
      on conflict (name) do update set position = excluded.position, position_event = null,
        stream_created = excluded.stream_created, stream_sequence = 0,
        ingested_position = null, ingested_event = null, generation = relay.generation + 1
      returning position, position_event, generation`.execute(tx);
    const [row] = rows;
    if (!row) throw new Error('the checkpoint of the relay was not written');
    return row;
  };

/**
 * Advances the checkpoint; another relay may have advanced it further.
 * @returns false if it went back meanwhile: then the published pointers may be lost
 */
export async function advanceRelay(
  db: Kysely<WebhooksDatabase>,
  { at: from, generation }: RelayCheckpoint,
  to: LogCheckpoint,
): Promise<boolean> {
  const position = String(to.position);
  const { numAffectedRows } = await sql`
    update webhooks.relay
    set position = greatest(position, ${position}::bigint),
        position_event = case when position > ${position}::bigint then position_event
          else ${identityToJson(to)}::jsonb end,
        updated_at = now()
    where name = ${key} and generation = ${generation}
      and position >= ${String(from?.position ?? start)}::bigint`.execute(db);
  return numAffectedRows === 1n;
}

type Row = Pick<Selectable<RelayTable>, 'position' | 'position_event' | 'generation'>;

const load = (db: Kysely<WebhooksDatabase>): Promise<Row | undefined> =>
  db
    .selectFrom('webhooks.relay')
    .select(['position', 'position_event', 'generation'])
    .where('name', '=', key)
    .where('position', '!=', reset)
    .executeTakeFirst();

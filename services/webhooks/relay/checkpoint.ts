import { sql, type Kysely, type Selectable } from 'kysely';
import type { RelayTable, WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import {
  checkpointFromRow,
  identityToJson,
  type LogCheckpoint,
} from '#shared/platform/event-store/index.ts';

/** The stream as a relay last saw it. `created` and a growing sequence identify it. */
export type StreamMark = { created: string; sequence: number };

export type Checkpoint = {
  /** Acknowledged by the stream up to here; undefined: nothing so far. */
  at: LogCheckpoint | undefined;
  mark: StreamMark;
  /** Recorded in PostgreSQL up to here. */
  ingested: LogCheckpoint | undefined;
  generation: number;
};

/** A different stream, or one with a smaller sequence than before, has lost messages. */
export function isYounger(stream: StreamMark, recorded: StreamMark): boolean {
  return stream.created !== recorded.created || stream.sequence < recorded.sequence;
}

const key = 'operations';
const start = '-1';
/** Different from every stream's. */
const noStream = '';

export async function loadCheckpoint(
  db: Kysely<WebhooksDatabase>,
): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom('webhooks.relay')
    .selectAll()
    .where('name', '=', key)
    .executeTakeFirst();
  return row && toCheckpoint(row);
}

/**
 * The first checkpoint of a new database; of two relays the second one finds that of the first. A
 * stream that was used before belongs to another database: it would drop "repeats" and count
 * pointers as recorded that are not.
 */
export async function createCheckpoint(
  db: Kysely<WebhooksDatabase>,
  stream: StreamMark,
): Promise<void> {
  const mark: StreamMark = stream.sequence === 0 ? stream : { created: noStream, sequence: 0 };
  await sql`
    insert into webhooks.relay (name, position, stream_created, stream_sequence, generation)
    values (${key}, ${start}, ${mark.created}, ${mark.sequence}, 0)
    on conflict do nothing`.execute(db);
}

/**
 * Advances the checkpoint from `from`; another relay that has published the same may have advanced
 * it already. Returns undefined if it went back or has another generation: then the published
 * pointers may be lost.
 */
export async function advance(
  db: Kysely<WebhooksDatabase>,
  from: Checkpoint,
  to: { at: LogCheckpoint; sequence: number },
): Promise<Checkpoint | undefined> {
  const position = String(to.at.position);
  const { rows } = await sql<Selectable<RelayTable>>`
    update webhooks.relay
    set position = greatest(position, ${position}::bigint),
        position_event = case when position > ${position}::bigint then position_event
          else ${identityToJson(to.at)}::jsonb end,
        stream_sequence = greatest(stream_sequence, ${to.sequence}::bigint), updated_at = now()
    where name = ${key} and generation = ${from.generation} and position >= ${stored(from.at)}::bigint
    returning *`.execute(db);
  return rows[0] && toCheckpoint(rows[0]);
}

/** Goes back to the recorded position, for the current stream. */
export async function goBack(
  db: Kysely<WebhooksDatabase>,
  from: Checkpoint,
  mark: StreamMark,
): Promise<void> {
  await sql`
    update webhooks.relay
    set position = coalesce(ingested_position, ${start}), position_event = ingested_event,
        stream_created = ${mark.created},
        stream_sequence = ${mark.sequence}, generation = generation + 1, updated_at = now()
    where name = ${key} and generation = ${from.generation}`.execute(db);
}

/** Saves how far the stream was recorded, if it is still the stream of the checkpoint. */
export async function noteIngested(
  db: Kysely<WebhooksDatabase>,
  from: Checkpoint,
  at: LogCheckpoint,
): Promise<void> {
  const position = String(at.position);
  await sql`
    update webhooks.relay
    set ingested_position = ${position}::bigint, ingested_event = ${identityToJson(at)}::jsonb
    where name = ${key} and generation = ${from.generation}
      and coalesce(ingested_position, ${start}) <= ${position}::bigint`.execute(db);
}

const stored = (at: LogCheckpoint | undefined) => (at ? String(at.position) : start);

function toCheckpoint(row: Selectable<RelayTable>): Checkpoint {
  return {
    at: row.position === start ? undefined : checkpointFromRow(row.position, row.position_event),
    mark: { created: row.stream_created, sequence: Number(row.stream_sequence) },
    ingested:
      row.ingested_position === null
        ? undefined
        : checkpointFromRow(row.ingested_position, row.ingested_event),
    generation: row.generation,
  };
}

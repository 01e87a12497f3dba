import { sql, type Kysely, type Selectable } from 'kysely';
import type { RelayTable, WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';

/** The stream as a relay last saw it. `created` and a growing sequence identify it. */
export type StreamMark = { created: string; sequence: number };

export type Checkpoint = {
  /** Acknowledged by the stream up to here; undefined: nothing so far. */
  position: bigint | undefined;
  mark: StreamMark;
  /** Recorded in PostgreSQL up to here. */
  ingested: bigint | undefined;
  generation: number;
};

/** A different stream, or one with a smaller sequence than before, has lost messages. */
export function isYounger(stream: StreamMark, known: StreamMark): boolean {
  return stream.created !== known.created || stream.sequence < known.sequence;
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
  to: { position: bigint; sequence: number },
): Promise<Checkpoint | undefined> {
  const { rows } = await sql<Selectable<RelayTable>>`
    update webhooks.relay
    set position = greatest(position, ${String(to.position)}::bigint),
        stream_sequence = greatest(stream_sequence, ${to.sequence}::bigint), updated_at = now()
    where name = ${key} and generation = ${from.generation} and position >= ${stored(from.position)}::bigint
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
    set position = coalesce(ingested_position, ${start}), stream_created = ${mark.created},
        stream_sequence = ${mark.sequence}, generation = generation + 1, updated_at = now()
    where name = ${key} and generation = ${from.generation}`.execute(db);
}

/** Saves how far the stream was recorded, if it is still the stream of the checkpoint. */
export async function noteIngested(
  db: Kysely<WebhooksDatabase>,
  from: Checkpoint,
  position: bigint,
): Promise<void> {
  await sql`
    update webhooks.relay
    set ingested_position = greatest(ingested_position, ${String(position)}::bigint)
    where name = ${key} and generation = ${from.generation}`.execute(db);
}

const stored = (position: bigint | undefined) =>
  position === undefined ? start : String(position);

function toCheckpoint(row: Selectable<RelayTable>): Checkpoint {
  return {
    position: row.position === start ? undefined : BigInt(row.position),
    mark: { created: row.stream_created, sequence: Number(row.stream_sequence) },
    ingested: row.ingested_position === null ? undefined : BigInt(row.ingested_position),
    generation: row.generation,
  };
}

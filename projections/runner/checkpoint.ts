import { sql, type Kysely } from 'kysely';
import {
  checkpointFromRow,
  identityToJson,
  type EventIdentity,
  type LogCheckpoint,
  type StoredEvent,
  type StoredIdentity,
} from '#shared/platform/event-store/index.ts';
import type { ReadModel } from '../read-model.ts';

/** Which copy of a read model: the live one, or one that is being built alongside it. */
export type ProjectionTarget = { model: ReadModel; schema: string };

export type ProjectionCheckpoint = {
  /** Everything in the log up to here is in the tables; undefined before the first event. */
  at: LogCheckpoint | undefined;
  version: number;
  /** The newest event in the tables. */
  last: EventIdentity | undefined;
};

/** Another worker has moved the checkpoint: nothing was written, and it must be read again. */
export class CheckpointMoved extends Error {
  constructor({ model, schema }: ProjectionTarget) {
    super(`another worker has moved the checkpoint of ${schema}.${model.name}`);
    this.name = 'CheckpointMoved';
  }
}

type Row = {
  version: number;
  position: string | null;
  position_event: StoredIdentity | null;
  event_id: string | null;
  event_stream: string | null;
  event_revision: number | null;
};

export async function readCheckpoint<DB>(
  db: Kysely<DB>,
  { model, schema }: ProjectionTarget,
  lock = false,
): Promise<ProjectionCheckpoint | undefined> {
  const { rows } = await sql<Row>`
    select version, position, event_id, event_stream, event_revision,
      -- A service may be newer than the one that makes this column.
      to_jsonb(status) -> 'position_event' as position_event
    from projections.status where schema = ${schema} and name = ${model.name} ${sql.raw(lock ? 'for update' : '')}`.execute(
    db,
  );
  const row = rows[0];
  if (!row) return undefined;
  const { position, event_id: id, event_stream: stream, event_revision: revision } = row;
  const last =
    id !== null && stream !== null && revision !== null ? { id, stream, revision } : undefined;
  const at =
    position === null
      ? undefined
      : // An earlier version moves the position and the newest event in the tables alone.
        {
          ...checkpointFromRow(position, row.position_event),
          ...(last && row.position_event?.position !== position && { event: last }),
        };
  return { version: row.version, at, last };
}

/**
 * Moves the checkpoint, if it is still where the caller read it. It must be the first statement of
 * the transaction that writes the rows: a second worker waits here, and fails before it has written
 * anything.
 * @throws CheckpointMoved
 */
export async function moveCheckpoint<DB>(
  tx: Kysely<DB>,
  target: ProjectionTarget,
  {
    from,
    to,
    events,
  }: { from: bigint | undefined; to: LogCheckpoint; events: readonly StoredEvent[] },
): Promise<void> {
  const last = events.at(-1);
  const { numAffectedRows } = await sql`
    update projections.status set
      position = ${to.position.toString()}, position_event = ${identityToJson(to)}::jsonb,
      event_id = coalesce(${last?.id ?? null}, event_id),
      event_stream = coalesce(${last?.stream ?? null}, event_stream),
      event_revision = coalesce(${last?.revision ?? null}, event_revision),
      events = events + ${events.length}
    where schema = ${target.schema} and name = ${target.model.name}
      and version = ${target.model.version}
      and position is not distinct from ${from?.toString() ?? null}`.execute(tx);
  if (numAffectedRows !== 1n) throw new CheckpointMoved(target);
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RecordedEvent } from './stored-event.ts';

type StreamRow = { readonly id: number; readonly tombstoned: boolean };

export type EventLog = ReturnType<typeof createEventLog>;

type EventRow = readonly [number, number, number, Uint8Array, string, number, Uint8Array];

type IdRow = readonly [number, number, number, Uint8Array];

type FoundId = readonly [Uint8Array, number];

type EventId = Pick<RecordedEvent, 'position' | 'streamId' | 'revision' | 'id'>;

const COLUMNS = 'position, stream, revision, id, type, created, record';

/**
 * Only reads and writes of the node's database, without rules. Reads return whole pages, so that no
 * cursor is open during a write.
 */
export function createEventLog(database: DatabaseSync) {
  const statements = prepare(database);
  return {
    begin: () => void statements.begin.run(),
    commit: () => void statements.commit.run(),
    /** Ends the open transaction, if an error hasn't ended it already. */
    rollback(): void {
      if (database.isTransaction) statements.rollback.run();
    },

    insertEvent(event: RecordedEvent, size: number): void {
      const { position, streamId, revision, id, type, createdMs, record } = event;
      statements.insertEvent.run(position, streamId, revision, id, type, createdMs, record, size);
    },
    insertStream: (name: string, id: number) => void statements.insertStream.run(name, id),
    markTombstoned: (name: string) => void statements.updateTombstoned.run(name),

    findStream(name: string): StreamRow | undefined {
      const row = statements.streamByName.get(name) as unknown as
        | readonly [number, number]
        | undefined;
      return row === undefined ? undefined : { id: row[0], tombstoned: row[1] > 0 };
    },
    /** Revision of the stream's newest event, -1 without one. */
    headOf(streamId: number): number {
      const row = statements.headOfStream.get(streamId) as unknown as readonly [number] | undefined;
      return row === undefined ? -1 : row[0];
    },
    /** The position after the newest record; undefined for an empty log. */
    end(): number | undefined {
      const row = statements.lastEvent.get() as unknown as readonly [number, number] | undefined;
      return row === undefined ? undefined : row[0] + row[1];
    },
    /** The smallest and the largest stream id in use, 0 and 0 when there is none. */
    streamIdRange(): readonly [number, number] {
      const row = statements.streamIds.get() as unknown as readonly [number | null, number | null];
      return [row[0] ?? 0, row[1] ?? 0];
    },
    /** Stream and id of the records before `position`, newest first, without their content. */
    idsBefore: (position: number, limit: number): readonly EventId[] =>
      (statements.idsBefore.all(position, limit) as unknown as IdRow[]).map(
        ([at, streamId, revision, id]) => ({
          position: at,
          streamId,
          revision,
          id,
        }),
      ),
    hasRecordAt: (position: number): boolean => statements.atPosition.get(position) !== undefined,
    idAt(streamId: number, revision: number): { id: Uint8Array; position: number } | undefined {
      const row = statements.idAt.get(streamId, revision) as unknown as FoundId | undefined;
      return row === undefined ? undefined : { id: row[0], position: row[1] };
    },

    /** Records at `position` and after it, hidden ones too. */
    allForwards: (position: number, limit: number) =>
      toEvents(statements.allForwards.all(position, limit)),
    /** Records before `position`, newest first, hidden ones too. */
    allBackwards: (position: number, limit: number) =>
      toEvents(statements.allBackwards.all(position, limit)),
    streamForwards: (streamId: number, revision: number, limit: number) =>
      toEvents(statements.streamForwards.all(streamId, revision, limit)),
    streamBackwards: (streamId: number, revision: number, limit: number) =>
      toEvents(statements.streamBackwards.all(streamId, revision, limit)),
  };
}

/** Each query finds its rows with an index: none may take longer in a longer log. */
function prepare(database: DatabaseSync) {
  const rows = (sql: string): StatementSync => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
    insertEvent: database.prepare(
      `INSERT INTO events (${COLUMNS}, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertStream: database.prepare('INSERT INTO streams (name, id) VALUES (?, ?)'),
    updateTombstoned: database.prepare('UPDATE streams SET tombstoned = 1 WHERE name = ?'),
    streamByName: rows('SELECT id, tombstoned FROM streams WHERE name = ?'),
    headOfStream: rows(
      'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
    ),
    lastEvent: rows(
      'SELECT position, size FROM events WHERE position = (SELECT max(position) FROM events)',
    ),
    // Every stream with an id has an event, and events are indexed by stream.
    streamIds: rows('SELECT (SELECT min(stream) FROM events), (SELECT max(stream) FROM events)'),
    idsBefore: rows(
      'SELECT position, stream, revision, id FROM events WHERE position < ? ORDER BY position DESC LIMIT ?',
    ),
    atPosition: rows('SELECT 1 FROM events WHERE position = ?'),
    idAt: rows('SELECT id, position FROM events WHERE stream = ? AND revision = ?'),
    allForwards: rows(
      `SELECT ${COLUMNS} FROM events WHERE position >= ? ORDER BY position LIMIT ?`,
    ),
    allBackwards: rows(
      `SELECT ${COLUMNS} FROM events WHERE position < ? ORDER BY position DESC LIMIT ?`,
    ),
    streamForwards: rows(
      `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`,
    ),
    streamBackwards: rows(
      `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC LIMIT ?`,
    ),
  };
}

function toEvents(rows: unknown): RecordedEvent[] {
  return (rows as EventRow[]).map(
    ([position, streamId, revision, id, type, createdMs, record]) => ({
      position,
      streamId,
      revision,
      id,
      type,
      createdMs,
      record,
    }),
  );
}

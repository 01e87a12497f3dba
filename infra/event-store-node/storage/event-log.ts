import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredEvent } from './stored-event.ts';

export type StreamRow = { readonly id: number; readonly tombstoned: boolean };

export type EventLog = ReturnType<typeof createEventLog>;

type EventRow = readonly [number, number, number, Uint8Array, string, number, Uint8Array];

type IdRow = readonly [number, number, number, Uint8Array];

type EventId = Pick<StoredEvent, 'position' | 'streamId' | 'revision' | 'id'>;

const COLUMNS = 'position, stream, revision, id, type, created, record';

/**
 * The statements on the node's database, and nothing else: no rule lives here. Reads return whole pages, so that no
 * cursor is open while something is written. Each finds its rows by a key: none may take longer in a longer log.
 */
export function createEventLog(database: DatabaseSync) {
  const rows = (sql: string): StatementSync => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const insertEvent = database.prepare(
    `INSERT INTO events (${COLUMNS}, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertStream = database.prepare('INSERT INTO streams (name, id) VALUES (?, ?)');
  const updateTombstoned = database.prepare('UPDATE streams SET tombstoned = 1 WHERE name = ?');
  const streamByName = rows('SELECT id, tombstoned FROM streams WHERE name = ?');
  const headOfStream = rows('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1');
  const lastEvent = rows(
    'SELECT position, size FROM events WHERE position = (SELECT max(position) FROM events)',
  );
  // Each stream that has an id has an event, and the events have an index of their streams.
  const streamIds = rows('SELECT (SELECT min(stream) FROM events), (SELECT max(stream) FROM events)');
  const idsBefore = rows(
    'SELECT position, stream, revision, id FROM events WHERE position < ? ORDER BY position DESC LIMIT ?',
  );
  const atPosition = rows('SELECT 1 FROM events WHERE position = ?');
  const idAt = rows('SELECT id, position FROM events WHERE stream = ? AND revision = ?');
  const allForwards = rows(`SELECT ${COLUMNS} FROM events WHERE position >= ? ORDER BY position LIMIT ?`);
  const allBackwards = rows(
    `SELECT ${COLUMNS} FROM events WHERE position < ? ORDER BY position DESC LIMIT ?`,
  );
  const streamForwards = rows(
    `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`,
  );
  const streamBackwards = rows(
    `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC LIMIT ?`,
  );

  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    /** Ends the open transaction, if an error hasn't ended it already. */
    rollback(): void {
      if (database.isTransaction) rollback.run();
    },

    insertEvent(event: StoredEvent, size: number): void {
      const { position, streamId, revision, id, type, createdMs, record } = event;
      insertEvent.run(position, streamId, revision, id, type, createdMs, record, size);
    },
    insertStream: (name: string, id: number) => void insertStream.run(name, id),
    markTombstoned: (name: string) => void updateTombstoned.run(name),

    findStream(name: string): StreamRow | undefined {
      const row = streamByName.get(name) as unknown as readonly [number, number] | undefined;
      return row === undefined ? undefined : { id: row[0], tombstoned: row[1] > 0 };
    },
    /** Revision of the stream's newest event, -1 without one. */
    headOf(streamId: number): number {
      const row = headOfStream.get(streamId) as unknown as readonly [number] | undefined;
      return row === undefined ? -1 : row[0];
    },
    /** The position behind the newest record; undefined for an empty log. */
    end(): number | undefined {
      const row = lastEvent.get() as unknown as readonly [number, number] | undefined;
      return row === undefined ? undefined : row[0] + row[1];
    },
    /** The smallest and the largest stream id in use, 0 and 0 when there is none. */
    streamIdRange(): readonly [number, number] {
      const row = streamIds.get() as unknown as readonly [number | null, number | null];
      return [row[0] ?? 0, row[1] ?? 0];
    },
    /** Whose the records before `position` are, newest first, without reading what is in them. */
    idsBefore: (position: number, limit: number): readonly EventId[] =>
      (idsBefore.all(position, limit) as unknown as IdRow[]).map(([at, streamId, revision, id]) => ({
        position: at,
        streamId,
        revision,
        id,
      })),
    hasRecordAt: (position: number): boolean => atPosition.get(position) !== undefined,
    idAt(streamId: number, revision: number): { id: Uint8Array; position: number } | undefined {
      const row = idAt.get(streamId, revision) as unknown as readonly [Uint8Array, number] | undefined;
      return row === undefined ? undefined : { id: row[0], position: row[1] };
    },

    /** Records at `position` and after it, hidden ones too. */
    allForwards: (position: number, limit: number) => toEvents(allForwards.all(position, limit)),
    /** Records before `position`, newest first, hidden ones too. */
    allBackwards: (position: number, limit: number) => toEvents(allBackwards.all(position, limit)),
    streamForwards: (streamId: number, revision: number, limit: number) =>
      toEvents(streamForwards.all(streamId, revision, limit)),
    streamBackwards: (streamId: number, revision: number, limit: number) =>
      toEvents(streamBackwards.all(streamId, revision, limit)),
  };
}

function toEvents(rows: unknown): StoredEvent[] {
  return (rows as EventRow[]).map(([position, streamId, revision, id, type, createdMs, record]) => ({
    position,
    streamId,
    revision,
    id,
    type,
    createdMs,
    record,
  }));
}

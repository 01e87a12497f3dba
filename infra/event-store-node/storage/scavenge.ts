import type { DatabaseSync } from 'node:sqlite';
import { NODE_STREAM_ID, TOMBSTONE_REVISION } from './stored-event.ts';

type Scavenger = {
  /**
   * Overwrites the records of streams that were deleted for good, except their tombstones. No other
   * record moves: an overwritten one occupies its space, and is never read. Call outside of a
   * transaction.
   * @returns how many records were overwritten
   */
  overwrite(): number;
  /**
   * Copies the write-ahead log into the database and empties it, so that no file has an older
   * state.
   */
  forget(): void;
};

/** Streams in one transaction; writes wait for it. */
const maxStreams = 200;
/**
 * An overwritten record is a little shorter, so that its neighbours in the page never have to move.
 */
const shorterBytes = 32;

/**
 * `tombstoned` of a stream is 1 while records before its tombstone are left, and 2 once they are
 * overwritten.
 */
export function createScavenger(database: DatabaseSync): Scavenger {
  const deleted = database.prepare('SELECT name, id FROM streams WHERE tombstoned = 1 LIMIT ?');
  const cleaned = database.prepare('UPDATE streams SET tombstoned = 2 WHERE name = ?');
  const blank = database.prepare(
    `UPDATE events SET stream = ${NODE_STREAM_ID}, revision = position, id = zeroblob(16), type = '',
      record = zeroblob(max(0, length(record) - ${shorterBytes}))
    WHERE stream = ? AND revision < ${TOMBSTONE_REVISION}`,
  );
  const some = (): { streams: number; records: number } => {
    const streams = deleted.all(maxStreams) as { name: string; id: number }[];
    if (streams.length === 0) return { streams: 0, records: 0 };
    let records = 0;
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const { name, id } of streams) {
        records += Number(blank.run(id).changes);
        cleaned.run(name);
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
    return { streams: streams.length, records };
  };
  return {
    overwrite: () => {
      let records = 0;
      // Each round takes streams off the list, so this ends.
      for (let removed = some(); removed.streams > 0; removed = some()) records += removed.records;
      return records;
    },
    forget: () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { NODE_STREAM_ID, TOMBSTONE_REVISION } from './stored-event.ts';

type Scavenger = {
  /**
   * Overwrites the records of streams that were deleted for good, but for their tombstones. Nothing
   * else changes its place: a record that is gone takes the room that it had, and is read by
   * nobody. Call outside of a transaction.
   * @returns how many records were overwritten
   */
  overwrite(): number;
  /**
   * Has the write-ahead log copied into the database and emptied, so that no older state of it is
   * in any file.
   */
  forget(): void;
};

/** Streams in one transaction: writes wait as long. */
const maxStreams = 200;
/**
 * A record that is overwritten is a little shorter, so that what stands around it in its page never
 * has to move.
 */
const shorterBytes = 32;

/**
 * The tombstone and what stood before it are told apart by `tombstoned`: 1, and 2 once there is
 * nothing left.
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
    const found = deleted.all(maxStreams) as { name: string; id: number }[];
    if (found.length === 0) return { streams: 0, records: 0 };
    let records = 0;
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const { name, id } of found) {
        records += Number(blank.run(id).changes);
        cleaned.run(name);
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
    return { streams: found.length, records };
  };
  return {
    overwrite: () => {
      let records = 0;
      // Each round takes streams off the list, so this ends.
      for (let found = some(); found.streams > 0; found = some()) records += found.records;
      return records;
    },
    forget: () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
  };
}

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '#shared/platform/make-folder.ts';
import { errorMessage } from '#shared/platform/error-message.ts';

/** The data directory can't be used; `message` is one line for the operator. */
class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}

const SCHEMA_VERSION = 2;
const SQLITE_BUSY = 5;

// page cache 32 MB. A checkpoint copies the write-ahead log into the database after each 1 MB. All
// writes and reads wait for it: for 10 ms when it was every 8 MB, and for 20 ms at 32 MB. (A thread
// that copies meanwhile is worse: the commits then wait for the disk.) Deleted data is overwritten
// with zeros.
const PRAGMAS = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -32768;
  PRAGMA wal_autocheckpoint = 256;
`;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS streams (
    name TEXT NOT NULL PRIMARY KEY,
    id INTEGER NOT NULL,
    tombstoned INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    id BLOB NOT NULL,
    type TEXT NOT NULL,
    created INTEGER NOT NULL,
    size INTEGER NOT NULL,
    record BLOB NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, revision);
  CREATE INDEX IF NOT EXISTS streams_to_scavenge ON streams (id) WHERE tombstoned = 1;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens the node's database in `directory`, making both if need be, and locks it for this process:
 * the lock is on the file, and ends with the process, however it dies. Throws
 * `StorageUnavailableError`.
 */
export function openNodeDatabase(directory: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makeFolder(directory);
    database = new DatabaseSync(join(directory, 'events.db'));
    database.exec(PRAGMAS);
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
    if (version > SCHEMA_VERSION) {
      throw new StorageUnavailableError(
        `${directory} was written by a newer version of the event store node`,
      );
    }
    database.exec(`BEGIN EXCLUSIVE; ${SCHEMA} COMMIT;`);
    return database;
  } catch (error) {
    database?.close();
    throw unavailable(directory, error);
  }
}

function unavailable(directory: string, error: unknown): StorageUnavailableError {
  if (error instanceof StorageUnavailableError) return error;
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
    return new StorageUnavailableError(`${directory} is in use by another event store node`, {
      cause: error,
    });
  }
  const reason = errorMessage(error);
  return new StorageUnavailableError(`${directory} can't be written: ${reason}`, { cause: error });
}

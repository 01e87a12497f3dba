import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '#shared/platform/make-folder.ts';

// Only one process opens it: a commit without locking and unlocking the file costs half. One
// checkpoint for every 32 MB.
const pragmas = `
PRAGMA busy_timeout = 5000;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 8192;
`;

/**
 * A database of the service in a file below `folder`, or in memory without one. Data committed to a
 * file survives the end of the process; a power cut may lose the newest changes, which is
 * acceptable for a sandbox.
 */
export function openSandboxDatabase(
  folder: string | undefined,
  { file, schema }: { file: string; schema: string },
) {
  if (folder !== undefined) makeFolder(folder);
  const db = new DatabaseSync(folder === undefined ? ':memory:' : join(folder, file));
  db.exec(pragmas);
  db.exec(schema);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return {
    db,
    /** All of it or nothing. Not to be nested. */
    transaction: <Result>(work: () => Result): Result => {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => db.close(),
  };
}

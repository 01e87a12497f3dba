import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '#shared/platform/make-folder.ts';

const schema = `
CREATE TABLE IF NOT EXISTS attempts (
  key TEXT PRIMARY KEY,
  operation_id TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS attempts_operation ON attempts (operation_id);
-- What is due by itself, and when: it survives a restart because it is a row.
CREATE TABLE IF NOT EXISTS timers (
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  due_ms INTEGER NOT NULL,
  PRIMARY KEY (key, kind)
) STRICT;
CREATE INDEX IF NOT EXISTS timers_due ON timers (due_ms);
CREATE TABLE IF NOT EXISTS callbacks (
  id INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL,
  key TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL,
  -- 1: not before every earlier version of the same key.
  in_order INTEGER NOT NULL,
  state TEXT NOT NULL,
  queued_ms INTEGER NOT NULL,
  due_ms INTEGER NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  delivered_ms INTEGER,
  last_status INTEGER,
  last_error TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS callbacks_waiting ON callbacks (due_ms) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS callbacks_waiting_key ON callbacks (key, version) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS callbacks_operation ON callbacks (operation_id);
CREATE TABLE IF NOT EXISTS receipts (
  key TEXT NOT NULL,
  receipt_id TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  content_type TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  content BLOB NOT NULL,
  received_ms INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (key, receipt_id)
) STRICT;
CREATE INDEX IF NOT EXISTS receipts_operation ON receipts (operation_id);
`;

export type Database = {
  readonly db: DatabaseSync;
  /** All of it or nothing. Not to be nested. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
};

// One process has it: without a lock to take and give back, a commit costs half. A checkpoint each
// 32 MB.
const pragmas = `
PRAGMA busy_timeout = 5000;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 8192;
`;

/**
 * The provider's memory, in a file below `folder`. What is committed survives the end of the
 * process, however sudden; a power cut may take the newest changes with it, which is enough for a
 * sandbox.
 */
export function openDatabase(folder: string): Database {
  makeFolder(folder);
  const db = new DatabaseSync(join(folder, 'sandbox.db'));
  db.exec(pragmas);
  db.exec(schema);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return {
    db,
    transaction: (work) => {
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

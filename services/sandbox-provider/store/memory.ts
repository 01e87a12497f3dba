import { createAccountStore } from './accounts.ts';
import { createAttemptStore } from './attempts.ts';
import { createCallbacks } from './callbacks.ts';
import { openSandboxDatabase } from './database.ts';
import { createMovements, movementsSchema } from './movements.ts';
import { createReceipts } from './receipts.ts';
import { createTimerStore } from './timers.ts';

const schema = `
CREATE TABLE IF NOT EXISTS attempts (
  key TEXT PRIMARY KEY,
  operation_id TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS attempts_operation ON attempts (operation_id);
-- What is due without a request, and when; stored, so that it survives a restart.
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
-- Accounts in addition to the one of the environment.
CREATE TABLE IF NOT EXISTS accounts (
  account TEXT PRIMARY KEY,
  callback_secret TEXT NOT NULL,
  callback_url TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS account_keys (
  key_sha256 TEXT PRIMARY KEY,
  account TEXT NOT NULL
) STRICT;
${movementsSchema}`;

/** The provider's stored state. */
export type SandboxMemory = ReturnType<typeof openMemory>;

/** Opens the database in `folder`, or creates it. */
export function openMemory(folder: string) {
  const { db, transaction, close } = openSandboxDatabase(folder, { file: 'sandbox.db', schema });
  return {
    accounts: createAccountStore(db),
    attempts: createAttemptStore(db),
    timers: createTimerStore(db),
    callbacks: createCallbacks(db),
    receipts: createReceipts(db),
    movements: createMovements(db),
    transaction,
    close,
  };
}

import type { DatabaseSync } from 'node:sqlite';

type NewCallback = {
  /** The same on every delivery, and on every duplicate. */
  messageId: string;
  key: string;
  operationId: string;
  version: number;
  body: string;
  inOrder: boolean;
  queuedMs: number;
  dueMs: number;
};

/** `given_up`: too old for the provider to retry. */
type CallbackState = 'waiting' | 'delivered' | 'given_up';

export type WaitingCallback = {
  id: number;
  messageId: string;
  key: string;
  body: string;
  queuedMs: number;
  dueMs: number;
  deliveries: number;
};

type CallbackHistory = {
  message_id: string;
  key: string;
  version: number;
  state: CallbackState;
  queued_at: string;
  next_at: string | null;
  deliveries: number;
  delivered_at: string | null;
  last_status: number | null;
  last_error: string | null;
  body: unknown;
};

export type Callbacks = {
  /**
   * Queues a callback; an earlier one of the same key that waits for its next try becomes due at
   * once.
   */
  queue(callback: NewCallback): void;
  /** The callbacks that may be sent, the earliest due first, whether or not they are due yet. */
  next(limit: number): WaitingCallback[];
  /** Records the outcome of a delivery. `dueMs`: when the next one is due, if it failed. */
  note(id: number, outcome: DeliveryOutcome): void;
  ofOperation(operationId: string): CallbackHistory[];
  /** How many versions of a key were ever queued. */
  countOf(key: string): number;
  waiting(): number;
};

type StateAfter = { state: 'delivered' | 'given_up' } | { state: 'waiting'; dueMs: number };
type DeliveryOutcome = StateAfter & { atMs: number; status?: number; error?: string };

export function createCallbacks(db: DatabaseSync): Callbacks {
  const insert = db.prepare(`INSERT INTO callbacks
    (message_id, key, operation_id, version, body, in_order, state, queued_ms, due_ms)
    VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`);
  const hasten = db.prepare(`UPDATE callbacks SET due_ms = min(due_ms, ?)
    WHERE state = 'waiting' AND key = ? AND version < ? AND in_order = 1`);
  const next =
    db.prepare(`SELECT id, message_id, key, body, queued_ms, due_ms, deliveries FROM callbacks AS mine
    WHERE state = 'waiting' AND NOT (in_order = 1 AND EXISTS (
      SELECT 1 FROM callbacks AS earlier
      WHERE earlier.state = 'waiting' AND earlier.key = mine.key AND earlier.version < mine.version))
    ORDER BY due_ms LIMIT ?`);
  const note = db.prepare(`UPDATE callbacks SET state = ?, due_ms = coalesce(?, due_ms),
    deliveries = deliveries + 1, delivered_ms = ?, last_status = ?, last_error = ? WHERE id = ?`);
  const ofOperation = db.prepare('SELECT * FROM callbacks WHERE operation_id = ? ORDER BY id');
  const countOf = db.prepare(
    'SELECT count(DISTINCT version) AS n FROM callbacks WHERE operation_id = ? AND key = ?',
  );
  const waiting = db.prepare("SELECT count(*) AS n FROM callbacks WHERE state = 'waiting'");
  return {
    queue: (callback) => {
      const { messageId, key, operationId, version, body, inOrder, queuedMs, dueMs } = callback;
      if (inOrder) hasten.run(queuedMs, key, version);
      insert.run(messageId, key, operationId, version, body, inOrder ? 1 : 0, queuedMs, dueMs);
    },
    next: (limit) =>
      next.all(limit).map((row) => ({
        id: Number(row['id']),
        messageId: String(row['message_id']),
        key: String(row['key']),
        body: String(row['body']),
        queuedMs: Number(row['queued_ms']),
        dueMs: Number(row['due_ms']),
        deliveries: Number(row['deliveries']),
      })),
    note: (id, outcome) => {
      note.run(
        outcome.state,
        outcome.state === 'waiting' ? outcome.dueMs : null,
        outcome.state === 'delivered' ? outcome.atMs : null,
        outcome.status ?? null,
        outcome.error ?? null,
        id,
      );
    },
    ofOperation: (operationId) => ofOperation.all(operationId).map(historyOf),
    countOf: (key) => Number(countOf.get(key.slice(0, key.lastIndexOf('.')), key)?.['n'] ?? 0),
    waiting: () => Number(waiting.get()?.['n'] ?? 0),
  };
}

function historyOf(row: Record<string, unknown>): CallbackHistory {
  const time = (ms: unknown) => (ms === null ? null : new Date(Number(ms)).toISOString());
  return {
    message_id: String(row['message_id']),
    key: String(row['key']),
    version: Number(row['version']),
    state: row['state'] as CallbackState,
    queued_at: new Date(Number(row['queued_ms'])).toISOString(),
    next_at: row['state'] === 'waiting' ? time(row['due_ms']) : null,
    deliveries: Number(row['deliveries']),
    delivered_at: time(row['delivered_ms']),
    last_status: row['last_status'] === null ? null : Number(row['last_status']),
    last_error: row['last_error'] as string | null,
    body: JSON.parse(String(row['body'])),
  };
}

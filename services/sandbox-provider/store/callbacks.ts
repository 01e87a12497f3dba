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

export type WaitingCallback = {
  id: number;
  messageId: string;
  key: string;
  body: string;
  queuedMs: number;
  dueMs: number;
  deliveries: number;
};

/** `given_up`: too old for the provider to retry. */
type CallbackRow = {
  message_id: string;
  key: string;
  version: number;
  body: string;
  state: 'waiting' | 'delivered' | 'given_up';
  queued_ms: number;
  due_ms: number;
  deliveries: number;
  delivered_ms: number | null;
  last_status: number | null;
  last_error: string | null;
};

export type Callbacks = ReturnType<typeof createCallbacks>;

type StateAfter = { state: 'delivered' | 'given_up' } | { state: 'waiting'; dueMs: number };
type DeliveryOutcome = StateAfter & { atMs: number; status?: number; error?: string };

export function createCallbacks(db: DatabaseSync) {
  const insert = db.prepare(`INSERT INTO callbacks
    (message_id, key, operation_id, version, body, in_order, state, queued_ms, due_ms)
    VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`);
  const hasten = db.prepare(`UPDATE callbacks SET due_ms = min(due_ms, ?)
    WHERE state = 'waiting' AND key = ? AND version < ? AND in_order = 1`);
  const next =
    db.prepare(`SELECT id, message_id AS messageId, key, body, queued_ms AS queuedMs, due_ms AS dueMs, deliveries
    FROM callbacks AS mine
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
    /**
     * Queues a callback; an earlier one of the same key that waits for its next try becomes due at
     * once.
     */
    queue: (callback: NewCallback): void => {
      const { messageId, key, operationId, version, body, inOrder, queuedMs, dueMs } = callback;
      if (inOrder) hasten.run(queuedMs, key, version);
      insert.run(messageId, key, operationId, version, body, inOrder ? 1 : 0, queuedMs, dueMs);
    },
    /** The callbacks that may be sent, the earliest due first, whether or not they are due yet. */
    next: (limit: number) => next.all(limit) as WaitingCallback[],
    /** Records the outcome of a delivery. `dueMs`: when the next one is due, if it failed. */
    note: (id: number, outcome: DeliveryOutcome): void => {
      note.run(
        outcome.state,
        outcome.state === 'waiting' ? outcome.dueMs : null,
        outcome.state === 'delivered' ? outcome.atMs : null,
        outcome.status ?? null,
        outcome.error ?? null,
        id,
      );
    },
    ofOperation: (operationId: string) =>
      (ofOperation.all(operationId) as CallbackRow[]).map(toCallbackHistory),
    /** How many versions of a key were ever queued. */
    countOf: (key: string) =>
      Number(countOf.get(key.slice(0, key.lastIndexOf('.')), key)?.['n'] ?? 0),
    waiting: () => Number(waiting.get()?.['n'] ?? 0),
  };
}

/** A callback as the control API shows it. */
function toCallbackHistory(row: CallbackRow) {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const { message_id, key, version, state, deliveries, last_status, last_error } = row;
  return {
    message_id,
    key,
    version,
    state,
    queued_at: time(row.queued_ms),
    next_at: state === 'waiting' ? time(row.due_ms) : null,
    deliveries,
    delivered_at: time(row.delivered_ms),
    last_status,
    last_error,
    body: JSON.parse(row.body) as unknown,
  };
}

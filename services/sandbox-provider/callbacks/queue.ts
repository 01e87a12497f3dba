import { toSnapshot, type SubmittedAttempt } from '../attempt/record.ts';
import type { Callbacks } from '../store/callbacks.ts';

/** How long `reorder_callbacks` delays every other callback, so that the next one overtakes it. */
const reorderHoldMs = 500;

/**
 * Queues the callback about the record's newest change, with the misbehaviour that its options ask
 * for (R20.4).
 */
export function queueCallback(callbacks: Callbacks, record: SubmittedAttempt, nowMs: number): void {
  const { duplicate_callbacks: duplicates, reorder_callbacks: reorder } = record.submission.options;
  const held = reorder && callbacks.countOf(record.key) % 2 === 0;
  const body = JSON.stringify(toSnapshot(record));
  for (let copy = 0; copy <= duplicates; copy += 1) {
    callbacks.queue({
      messageId: `${record.key}.v${record.version}`,
      key: record.key,
      operationId: record.operationId,
      version: record.version,
      body,
      inOrder: !reorder,
      queuedMs: nowMs,
      dueMs: held ? nowMs + reorderHoldMs : nowMs,
    });
  }
}

import type { Kysely } from 'kysely';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { UnappliableEvent } from '../read-model.ts';
import { moveCheckpoint, type Target } from './checkpoint.ts';

type Step = {
  /** Where the checkpoint stands, as far as the caller knows. */
  from: bigint | undefined;
  events: readonly StoredEvent[];
  /** Where it is to stand afterwards: at the last event or beyond it. */
  to: bigint;
};

/**
 * PostgreSQL's classes of errors that lie in the values: cardinality, data exception, integrity,
 * limit exceeded.
 */
const errorsOfValues = /^(21|22|23|54)/;

/**
 * Applies events in order, each batch with its rows and the new checkpoint in one transaction. What
 * comes before an event that can't be applied is applied; the checkpoint then stands right before
 * it. `onMoved` hears of every commit.
 * @throws UnappliableEvent, CheckpointMoved, or what the database throws; what was not committed is
 *   to be read again
 */
export async function applyEvents<DB>(
  db: Kysely<DB>,
  target: Target,
  { from, events, to, onMoved }: Step & { onMoved(position: bigint, events: number): void },
): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await moveCheckpoint(tx, target, { from, to, events });
      await target.model.apply({ tx: tx as never, schema: target.schema, events });
    });
  } catch (error) {
    const first = events[0];
    if (first === undefined) throw error;
    if (error instanceof UnappliableEvent) {
      const before = events.slice(0, events.indexOf(error.event));
      const last = before.at(-1);
      if (last) await applyEvents(db, target, { from, events: before, to: last.position, onMoved });
      throw error;
    }
    if (!errorsOfValues.test((error as { code?: string }).code ?? '')) throw error;
    // One of them has a value that its column does not take: halves lead to it in a few steps.
    if (events.length === 1) throw new UnappliableEvent(first, error);
    const half = Math.ceil(events.length / 2);
    const middle = events[half - 1]?.position ?? to;
    await applyEvents(db, target, { from, events: events.slice(0, half), to: middle, onMoved });
    await applyEvents(db, target, { from: middle, events: events.slice(half), to, onMoved });
    return;
  }
  onMoved(to, events.length);
}

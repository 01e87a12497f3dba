import type { Kysely } from 'kysely';
import {
  checkpointAt,
  type LogCheckpoint,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import { UnappliableEvent } from '../read-model.ts';
import { moveCheckpoint, type ProjectionTarget } from './checkpoint.ts';

type Step = {
  /** The checkpoint, as far as the caller knows. */
  from: bigint | undefined;
  events: readonly StoredEvent[];
  /** The checkpoint afterwards: at the last event or beyond it. */
  to: LogCheckpoint;
};

/**
 * PostgreSQL's error classes for bad values: cardinality, data exception, integrity, limit
 * exceeded.
 */
const errorsOfValues = /^(21|22|23|54)/;

/**
 * Applies events in order, each batch with its rows and the new checkpoint in one transaction.
 * Events before one that can't be applied are applied; the checkpoint is then right before that
 * one. `onMoved` is called after every commit.
 * @throws UnappliableEvent, CheckpointMoved, or what the database throws; read what was not
 * committed again
 */
export async function applyEvents<DB>(
  db: Kysely<DB>,
  target: ProjectionTarget,
  { from, events, to, onMoved }: Step & { onMoved(to: LogCheckpoint, events: number): void },
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
      if (last)
        await applyEvents(db, target, { from, events: before, to: checkpointAt(last), onMoved });
      throw error;
    }
    if (!errorsOfValues.test((error as { code?: string }).code ?? '')) throw error;
    // One of the events has a value that its column does not accept. Halving finds it in a few
    // steps.
    if (events.length === 1) throw new UnappliableEvent(first, error);
    const half = Math.ceil(events.length / 2);
    const last = events[half - 1];
    const middle = last ? checkpointAt(last) : to;
    await applyEvents(db, target, { from, events: events.slice(0, half), to: middle, onMoved });
    await applyEvents(db, target, {
      from: middle.position,
      events: events.slice(half),
      to,
      onMoved,
    });
    return;
  }
  onMoved(to, events.length);
}

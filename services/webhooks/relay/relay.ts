import type { PubAck } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import {
  follow,
  type EventStore,
  type LogItem,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { inSpan } from '#shared/platform/tracing/tracing.ts';
import { maxBacklog } from '../bus.ts';
import type { Component } from '../component.ts';
import { advance } from './checkpoint.ts';
import { mayOweWebhook, neverOwing } from './owing-events.ts';
import { openSession, StreamLost, type Session, type SessionOptions } from './session.ts';

export type RelayOptions = SessionOptions & {
  store: EventStore;
  logger: Logger;
  /** After each batch; `lagMs` is the age of its newest event. */
  onBatch?: (seen: { published: number; lagMs: number }) => void;
  onBacklog?: (pointers: number) => void;
};

/** Events read at a time, and so publishes in flight. */
const maxBatch = 500;
/** How often the stream is looked at, whether something happens or not. */
const lookEveryMs = 2_000;
const backlogPauseMs = 200;
const saveEveryMs = 1_000;
const staleAfterMs = 5_000;

/**
 * Follows the log and publishes a pointer to every event that may owe a webhook; its checkpoint follows the stream's
 * acknowledgement. When the stream turns out to be younger than the checkpoint (wiped, or an older copy) it goes back
 * to what was recorded and publishes again. Any number of relays may run: they publish the same pointers.
 */
export function createRelay(options: RelayOptions): Component {
  const { store, db, logger } = options;
  let session: Session | undefined;
  let lostGeneration: number | undefined;
  let savedAt = Number.NEGATIVE_INFINITY;
  /** Published and acknowledged, and not yet kept. */
  let unsaved: { position: bigint; sequence: number } | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let backlog = 0;

  const noteError = (error: unknown) => {
    if (error instanceof StreamLost) lostGeneration = session?.checkpoint.generation;
    logger.warn({ err: error }, 'the relay connects again');
  };

  const begin = async (): Promise<bigint | undefined> => {
    // Whether the stream that is connected next has lost something is judged by all that was acknowledged.
    await save(0);
    const former = session;
    session = undefined;
    await former?.close();
    session = await openSession(options, lostGeneration);
    lostGeneration = undefined;
    lookedAt = performance.now();
    const { position } = session.checkpoint;
    if (session.wentBack) {
      logger.warn(
        { from: String(position ?? 'start') },
        'the stream had lost messages: publishing them again',
      );
    }
    return position;
  };

  const look = async (): Promise<void> => {
    const current = session;
    if (!current) return;
    try {
      backlog = await current.look();
    } catch (error) {
      // Closed meanwhile, for one that begins with a look of its own.
      if (session === current) throw error;
      return;
    }
    lookedAt = performance.now();
    options.onBacklog?.(backlog);
  };

  const handle = async (batch: LogItem[], signal: AbortSignal): Promise<void> => {
    const current = session;
    if (!current) throw new Error('the relay has no session');
    while (backlog > maxBacklog && !signal.aborted) {
      await delay(backlogPauseMs);
      await look();
    }
    const events = batch.flatMap((item) => (item.kind === 'event' ? item.event : []));
    const acks = await Promise.all(events.filter(mayOweWebhook).map((event) => publish(current, event)));
    backlog += acks.length;
    const position = lastPosition(batch);
    if (position !== undefined) {
      const { sequence } = unsaved ?? current.checkpoint.mark;
      unsaved = { position, sequence: acks.reduce((last, ack) => Math.max(last, ack.seq), sequence) };
      await save();
    }
    const newest = events.at(-1);
    const lagMs = newest ? Math.max(0, Date.now() - newest.created.getTime()) : 0;
    options.onBatch?.({ published: acks.length, lagMs });
  };

  /** Keeps how far all is published, once a second: what is published again after a crash changes nothing. */
  const save = async (everyMs = saveEveryMs): Promise<void> => {
    if (!session || !unsaved || performance.now() - savedAt < everyMs) return;
    const current = session;
    const saving = unsaved;
    const moved = await advance(db, current.checkpoint, saving);
    if (unsaved === saving) unsaved = undefined;
    if (!moved) throw new Error('the checkpoint went back');
    current.moved(moved);
    savedAt = performance.now();
  };

  /** Follows until the signal, or until the stream is found changed. */
  const runOnce = async (signal: AbortSignal): Promise<void> => {
    const again = new AbortController();
    const inner = AbortSignal.any([signal, again.signal]);
    const following = follow({
      store,
      checkpoint: begin,
      filter: { streamPrefixes: ['operation-'], exceptTypes: neverOwing },
      maxBatch,
      handle: (batch) => handle(batch, inner),
      onError: noteError,
      signal: inner,
    });
    while (!inner.aborted) {
      await delay(lookEveryMs, undefined, { signal: inner }).catch(() => undefined);
      if (inner.aborted) break;
      await Promise.all([look(), save()]).catch((error: unknown) => {
        noteError(error);
        again.abort();
      });
    }
    await following;
  };

  return {
    name: 'relay',
    notReady: () =>
      performance.now() - lookedAt > staleAfterMs ? 'the relay does not reach its stores' : undefined,
    run: async (signal) => {
      while (!signal.aborted) await runOnce(signal);
      await save(0).catch(() => undefined);
      await session?.close();
    },
  };
}

function publish(session: Session, event: StoredEvent): Promise<PubAck> {
  return inSpan(
    () => ({
      name: 'relay publish',
      kind: 'producer',
      traceparent: event.metadata.traceparent,
      attributes: { 'gateway.stream': event.stream, 'gateway.event_id': event.id },
    }),
    () => session.publish(event),
  );
}

function lastPosition(batch: readonly LogItem[]): bigint | undefined {
  const last = batch.findLast((item) => item.kind !== 'caught_up');
  if (!last) return undefined;
  return last.kind === 'event' ? last.event.position : last.position;
}

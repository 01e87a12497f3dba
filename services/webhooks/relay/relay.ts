import type { PubAck } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import {
  checkpointAfter,
  follow,
  type CheckpointGuard,
  type EventStore,
  type LogCheckpoint,
  type LogItem,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { inSpan } from '#shared/platform/tracing/tracing.ts';
import { maxBacklog } from '../bus.ts';
import type { Component } from '../component.ts';
import { advance } from './checkpoint.ts';
import { mayOweWebhook, neverOwing, owingStreams } from './owing-events.ts';
import { openSession, StreamLost, type Session, type SessionOptions } from './session.ts';

type RelayOptions = SessionOptions & {
  store: EventStore;
  guard: Pick<CheckpointGuard, 'verify'>;
  logger: Logger;
  /** After each batch; `lagMs` is the age of its newest event. */
  onBatch?: (batch: { published: number; lagMs: number }) => void;
  onBacklog?: (pointers: number) => void;
};

/** Events read at a time, and so publishes in flight. */
const maxBatch = 500;
/** How often the stream is polled, also without new events. */
const pollEveryMs = 2_000;
const backlogPauseMs = 200;
const saveEveryMs = 1_000;
const staleAfterMs = 5_000;

/**
 * Follows the log and publishes a pointer to every event that may require a webhook; its checkpoint
 * follows the stream's acknowledgements. If the stream is older than the checkpoint (wiped, or an
 * older copy) it goes back to the recorded position and publishes again. Any number of relays may
 * run: they publish the same pointers.
 */
export class Relay implements Component {
  readonly name = 'relay';
  readonly #options: RelayOptions;
  #session: Session | undefined;
  #lostGeneration: number | undefined;
  #savedAt = Number.NEGATIVE_INFINITY;
  /** Published and acknowledged, and not yet in the checkpoint. */
  #unsaved: { at: LogCheckpoint; sequence: number } | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  #backlog = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  notReady(): string | undefined {
    const stale = performance.now() - this.#polledAt > staleAfterMs;
    return stale ? 'the relay does not reach its stores' : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#runOnce(signal);
    await this.#save(0).catch(() => undefined);
    await this.#session?.close();
  }

  /** Follows until the signal, or until the stream has changed. */
  async #runOnce(signal: AbortSignal): Promise<void> {
    const again = new AbortController();
    const inner = AbortSignal.any([signal, again.signal]);
    const { store, guard } = this.#options;
    const following = follow({
      store,
      guard,
      follower: 'webhooks.relay',
      checkpoint: () => this.#begin(),
      filter: { streamPrefixes: owingStreams, exceptTypes: neverOwing },
      maxBatch,
      handle: (batch) => this.#handle(batch, inner),
      onError: (error) => this.#noteError(error),
      signal: inner,
    });
    while (!inner.aborted) {
      await delay(pollEveryMs, undefined, { signal: inner }).catch(() => undefined);
      if (inner.aborted) break;
      await Promise.all([this.#poll(), this.#save()]).catch((error: unknown) => {
        this.#noteError(error);
        again.abort();
      });
    }
    await following;
  }

  #noteError(error: unknown): void {
    if (error instanceof StreamLost) this.#lostGeneration = this.#session?.checkpoint.generation;
    this.#options.logger.warn({ err: error }, 'the relay connects again');
  }

  /** Opens a new session; returns the position to follow the log from. */
  async #begin(): Promise<LogCheckpoint | undefined> {
    // The next connection compares the stream with everything that was acknowledged.
    await this.#save(0);
    const former = this.#session;
    this.#session = undefined;
    await former?.close();
    const session = await openSession(this.#options, this.#lostGeneration);
    this.#session = session;
    this.#lostGeneration = undefined;
    this.#polledAt = performance.now();
    const { at } = session.checkpoint;
    if (session.wentBack) {
      this.#options.logger.warn(
        { from: String(at?.position ?? 'start') },
        'the stream has lost messages: publishing them again',
      );
    }
    return at;
  }

  async #poll(): Promise<void> {
    const current = this.#session;
    if (!current) return;
    try {
      this.#backlog = await current.poll();
    } catch (error) {
      // Closed meanwhile; the next session checks the stream itself.
      if (this.#session === current) throw error;
      return;
    }
    this.#polledAt = performance.now();
    this.#options.onBacklog?.(this.#backlog);
  }

  async #handle(batch: LogItem[], signal: AbortSignal): Promise<void> {
    const current = this.#session;
    if (!current) throw new Error('the relay has no session');
    while (this.#backlog > maxBacklog && !signal.aborted) {
      await delay(backlogPauseMs);
      await this.#poll();
    }
    const events = batch.flatMap((item) => (item.kind === 'event' ? item.event : []));
    const acks = await Promise.all(
      events.filter(mayOweWebhook).map((event) => publish(current, event)),
    );
    this.#backlog += acks.length;
    const at = checkpointAfter(batch);
    if (at) {
      const { sequence } = this.#unsaved ?? current.checkpoint.mark;
      this.#unsaved = {
        at,
        sequence: acks.reduce((last, ack) => Math.max(last, ack.seq), sequence),
      };
      await this.#save();
    }
    const newest = events.at(-1);
    const lagMs = newest ? Math.max(0, Date.now() - newest.created.getTime()) : 0;
    this.#options.onBatch?.({ published: acks.length, lagMs });
  }

  /** Saves the published position once a second: publishing again after a crash changes nothing. */
  async #save(everyMs = saveEveryMs): Promise<void> {
    const current = this.#session;
    const saving = this.#unsaved;
    if (!current || !saving || performance.now() - this.#savedAt < everyMs) return;
    const moved = await advance(this.#options.db, current.checkpoint, saving);
    if (this.#unsaved === saving) this.#unsaved = undefined;
    if (!moved) throw new Error('the checkpoint went back');
    current.moved(moved);
    this.#savedAt = performance.now();
  }
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

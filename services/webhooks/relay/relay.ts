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
import { createWaitLog } from '#shared/platform/logging/wait-log.ts';
import { inSpan } from '#shared/platform/tracing/tracing.ts';
import { maxBacklog } from '../bus.ts';
import type { Component } from '../component.ts';
import { advanceRelay } from './checkpoint.ts';
import {
  mayRequireWebhook,
  typesWithoutWebhook,
  relayedStreams,
} from './events-requiring-webhooks.ts';
import { openSession, type RelaySession, type SessionOptions } from './session.ts';

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
 * Follows the log and publishes a pointer to every event that may require a webhook, at least once:
 * its checkpoint follows the stream's acknowledgements. What the stream itself loses, the
 * reconciliation records. Any number of relays may run: they publish the same pointers.
 */
export class Relay implements Component {
  readonly name = 'relay';
  readonly #options: RelayOptions;
  #session: RelaySession | undefined;
  #savedAt = Number.NEGATIVE_INFINITY;
  /** Published and acknowledged, and not yet in the checkpoint. */
  #unsaved: LogCheckpoint | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  #backlog = 0;
  readonly #waiting: (error: unknown) => void;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#waiting = createWaitLog('the stores of the relay', options);
  }

  notReady(): string | undefined {
    const stale = performance.now() - this.#polledAt > staleAfterMs;
    return stale ? 'the relay can’t reach its stores' : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#runOnce(signal);
    await this.#save(0).catch(() => undefined);
    await this.#session?.close();
  }

  /** Follows until the signal, or until a poll or a save fails. */
  async #runOnce(signal: AbortSignal): Promise<void> {
    const again = new AbortController();
    const inner = AbortSignal.any([signal, again.signal]);
    const { store, guard } = this.#options;
    const following = follow({
      store,
      guard,
      follower: 'webhooks.relay',
      checkpoint: () => this.#begin(),
      filter: { streamPrefixes: relayedStreams, exceptTypes: typesWithoutWebhook },
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
    const hasWorked = this.#polledAt > Number.NEGATIVE_INFINITY;
    this.#options.logger[hasWorked ? 'warn' : 'debug'](
      { err: error },
      'the relay failed, and connects again',
    );
    if (!hasWorked) this.#waiting(error);
  }

  /** Opens a new session; returns the position to follow the log from. */
  async #begin(): Promise<LogCheckpoint | undefined> {
    await this.#save(0);
    const former = this.#session;
    this.#session = undefined;
    await former?.close();
    this.#session = await openSession(this.#options);
    this.#polledAt = performance.now();
    return this.#session.checkpoint.at;
  }

  async #poll(): Promise<void> {
    const current = this.#session;
    if (!current) return;
    try {
      this.#backlog = await current.backlog();
    } catch (error) {
      // Closed meanwhile.
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
    const relayed = events.filter(mayRequireWebhook);
    await Promise.all(relayed.map((event) => publish(current, event)));
    this.#backlog += relayed.length;
    this.#unsaved = checkpointAfter(batch) ?? this.#unsaved;
    await this.#save();
    const newest = events.at(-1);
    const lagMs = newest ? Math.max(0, Date.now() - newest.created.getTime()) : 0;
    this.#options.onBatch?.({ published: relayed.length, lagMs });
  }

  /** Saves the published position once a second: publishing again after a crash changes nothing. */
  async #save(everyMs = saveEveryMs): Promise<void> {
    const current = this.#session;
    const saving = this.#unsaved;
    if (!current || !saving || performance.now() - this.#savedAt < everyMs) return;
    const isSaved = await advanceRelay(this.#options.db, current.checkpoint, saving);
    if (this.#unsaved === saving) this.#unsaved = undefined;
    if (!isSaved) throw new Error('the stored checkpoint was changed by another process');
    current.checkpoint = { ...current.checkpoint, at: saving };
    this.#savedAt = performance.now();
  }
}

function publish(session: RelaySession, event: StoredEvent): Promise<unknown> {
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

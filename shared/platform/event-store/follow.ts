import { backoffMs } from '../backoff.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { CheckpointNotInLog, refusedPauseMs, type CheckpointGuard } from './checkpoint-guard.ts';
import type { LogCheckpoint } from './checkpoint.ts';
import type { EventStore, LogFilter, LogItem } from './types.ts';

type FollowOptions = {
  store: EventStore;
  /** The follower's name in readiness, metrics and the log. */
  follower: string;
  guard: Pick<CheckpointGuard, 'verify'>;
  /** Where to continue: read for every new connection, because the saved checkpoint decides. */
  checkpoint(): Promise<LogCheckpoint | undefined>;
  filter?: LogFilter;
  maxBatch?: number;
  /** As in a `SubscribeRequest`. */
  sparse?: boolean;
  /**
   * The pause after a batch of events that was not full, in which the next one gathers more: for a
   * consumer with a transaction for each batch. An event after a quiet time does not wait, and
   * there is no pause during catch-up.
   */
  pauseMs?: number;
  /**
   * Handles a batch and saves its checkpoint. If it throws, the subscription restarts, and the
   * batch is repeated.
   */
  handle(batch: LogItem[]): Promise<void>;
  onError(error: unknown): void;
  /** The checkpoint is not in the log. The guard has reported it. */
  onRefused?(error: CheckpointNotInLog): void;
  signal: AbortSignal;
  /** Only tests set another one. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

const realPause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });

/** The size from which a batch counts as full, unless the caller sets a limit. */
const fullBatch = 250;
const backoff = { firstMs: 100, longestMs: 2_000 };

/**
 * Follows the log until the signal. If the store or the handler fails, it connects again, with
 * backoff. While its checkpoint is not in the log it does not start, and reads it again from time
 * to time.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { store, signal, pause = realPause } = options;
  let failures = 0;
  while (!signal.aborted) {
    let refused = false;
    try {
      const checkpoint = await options.checkpoint();
      await options.guard.verify(options.follower, store, checkpoint);
      let live = false;
      for await (const batch of store.subscribe({
        ...(checkpoint && { after: checkpoint.position }),
        ...(options.filter && { filter: options.filter }),
        ...(options.maxBatch && { maxBatch: options.maxBatch }),
        ...(options.sparse && { sparse: true }),
        signal,
      })) {
        await options.handle(batch);
        failures = 0;
        live ||= batch.some(({ kind }) => kind === 'caught_up');
        const isPartial = batch.length < (options.maxBatch ?? fullBatch);
        if (live && options.pauseMs && isPartial && batch.some(({ kind }) => kind === 'event'))
          await pause(options.pauseMs, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CheckpointNotInLog) {
        options.onRefused?.(error);
        refused = true;
      } else options.onError(error);
    }
    const pauseMs = refused ? refusedPauseMs : backoffMs(failures, backoff);
    await pause(pauseMs, signal).catch(() => undefined);
    failures += 1;
  }
}

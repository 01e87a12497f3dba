import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, LogFilter, LogItem } from './types.ts';

type FollowOptions = {
  store: EventStore;
  /** Where to go on: asked anew for every connection, so that a checkpoint kept elsewhere rules. */
  checkpoint(): Promise<bigint | undefined>;
  filter?: LogFilter;
  maxBatch?: number;
  /** As in a `SubscribeRequest`. */
  little?: boolean;
  /**
   * Rests after a batch that was not full, so that the next gathers more: so many times as long as
   * the batch took, for a consumer that writes each in a transaction of its own. What comes after a
   * quiet time does not wait, and catching up never does.
   */
  rest?: { times: number; longestMs: number };
  /**
   * Handles a batch and keeps its checkpoint. What it throws ends this connection; the batch comes
   * again.
   */
  handle(batch: LogItem[]): Promise<void>;
  onError(error: unknown): void;
  signal: AbortSignal;
};

/** Items in a batch that is as good as full, where nobody says what full is. */
const fullBatch = 250;
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Follows the log until the signal, connecting again with growing pauses whenever the store or the
 * handler fails.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { store, signal } = options;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      const after = await options.checkpoint();
      let live = false;
      for await (const batch of store.subscribe({
        ...(after !== undefined && { after }),
        ...(options.filter && { filter: options.filter }),
        ...(options.maxBatch && { maxBatch: options.maxBatch }),
        ...(options.little && { little: true }),
        signal,
      })) {
        const beganAt = performance.now();
        await options.handle(batch);
        pauseMs = firstPauseMs;
        live ||= batch.some(({ kind }) => kind === 'caught_up');
        if (live && options.rest && batch.length < (options.maxBatch ?? fullBatch)) {
          const { times, longestMs } = options.rest;
          const restMs = Math.min((performance.now() - beganAt) * times, longestMs);
          await delay(restMs, undefined, { signal });
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      options.onError(error);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

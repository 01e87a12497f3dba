import type { Logger } from '#shared/platform/logging/logger.ts';
import { markLoggedElsewhere } from '#shared/platform/logging/logged-elsewhere.ts';
import { LogIsClosed } from './log-gate.ts';
import { createOutage } from './outage.ts';
import type { OnReturn } from './reading/collect.ts';
import { isConnectionLost, isRefusal } from './store-unavailable.ts';

type StoreLog = {
  /** Records the outcome of a call to the store. */
  watch<T>(call: Promise<T>): Promise<T>;
  watchBatches<T>(batches: AsyncIterable<T>): AsyncIterable<T>;
  /** Records a failed call, or one that succeeded. */
  note(failure: unknown): void;
  /** Registers what is done when the store responds after a lost connection. */
  onReturn: OnReturn;
  /** The log was closed, or takes appends again. */
  closed(isClosed: boolean): void;
  /** The store ended a subscription that was too slow; it continues. */
  tooSlow(): void;
};

type Lines = Pick<Logger, 'warn' | 'info'>;

/** Under load one subscription may be ended many times a second: that is logged once a minute. */
const tooSlowEveryMs = 60_000;

const silent: Lines = { warn: () => undefined, info: () => undefined };

/**
 * What a process logs about its event store: that it is unreachable, that it is back, that it ended
 * a slow subscription.
 */
export function createStoreLog(logger: Lines | undefined): StoreLog {
  const lines = logger ?? silent;
  // Without a logger no outage is logged here, so the callers have to log their errors.
  const outage = logger && createOutage(logger);
  let [tooSlowAt, times] = [Number.NEGATIVE_INFINITY, 0];
  let isLost = false;
  const repeats = new Set<() => void>();

  const note = (failure: unknown) => {
    const isClosed = failure instanceof LogIsClosed;
    if (isClosed && logger) markLoggedElsewhere(failure);
    if (isClosed || failure === undefined) outage?.responded();
    else outage?.failed(failure);
    if (isConnectionLost(failure)) isLost = true;
    else if (isLost && (failure === undefined || isRefusal(failure))) {
      isLost = false;
      for (const repeat of repeats) repeat();
    }
  };
  return {
    note,
    onReturn: (repeat) => {
      repeats.add(repeat);
      return () => void repeats.delete(repeat);
    },
    watch: async (call) => {
      try {
        const response = await call;
        note(undefined);
        return response;
      } catch (error) {
        note(error);
        throw error;
      }
    },
    async *watchBatches(batches) {
      try {
        for await (const batch of batches) {
          note(undefined);
          yield batch;
        }
      } catch (error) {
        note(error);
        throw error;
      }
    },
    closed: (isClosed) =>
      lines.warn(
        isClosed
          ? 'the log is closed, because it moves to another store: nothing is appended'
          : 'the log takes appends again',
      ),
    tooSlow: () => {
      times += 1;
      if (performance.now() - tooSlowAt < tooSlowEveryMs) return;
      tooSlowAt = performance.now();
      lines.info(
        { times },
        'the event store ended a subscription that was too slow: it resumes from its position',
      );
      times = 0;
    },
  };
}

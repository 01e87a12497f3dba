import {
  checkpointAt,
  follow,
  type CheckpointGuard,
  type EventStore,
  type LogCheckpoint,
  type LogItem,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createChanges, type DayUseChange, type Changes } from './changes.ts';

type Feed = {
  /** Starts once, at the first checkpoint that is read and is in the log. */
  begin(from: () => Promise<LogCheckpoint>): void;
  /** The newest followed event of an operation, or the start; undefined before the first batch. */
  lastPosition(): bigint | undefined;
  isLive(): boolean;
  /** Adds operations that began before the log was followed. */
  addOpen: Changes['addOpen'];
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
};

type FeedOptions = {
  store: EventStore;
  guard: Pick<CheckpointGuard, 'verify'>;
  logger: Pick<Logger, 'warn'>;
  signal: AbortSignal;
};

/** Follows the operations of the log, and reports how they change the use of routes. */
export function createFeed(
  { store, guard, logger, signal }: FeedOptions,
  changed: (change: DayUseChange) => void,
): Feed {
  const changes = createChanges();
  let at: LogCheckpoint | undefined;
  let lastPosition: bigint | undefined;
  let live = false;
  let caughtUp = Promise.withResolvers<void>();
  const reset = () => {
    live = false;
    caughtUp = Promise.withResolvers();
  };
  let following: Promise<void> | undefined;

  const apply = (item: LogItem) => {
    if (item.kind === 'caught_up') {
      live = true;
      caughtUp.resolve();
    } else if (item.kind === 'checkpoint') {
      // One without its event could not be verified when the connection breaks.
      if (item.event) at = item;
    } else {
      // First: an event that can't be read must be read again, and never skipped.
      const change = changes.of(item.event);
      at = checkpointAt(item.event);
      lastPosition = item.event.position;
      if (change) changed(change);
    }
  };

  const run = (from: () => Promise<LogCheckpoint>) =>
    follow({
      store,
      guard,
      follower: 'merchant-api.daily-limits',
      checkpoint: async () => (at ??= await from()),
      filter: { streamPrefixes: ['operation-'] },
      handle: async (batch) => {
        lastPosition ??= at?.position;
        batch.forEach(apply);
      },
      onError: (err) => {
        reset();
        logger.warn(
          { err },
          'the subscription to the log is down: routes with daily limits are skipped',
        );
      },
      onRefused: () => {
        reset();
        // The read models may be rebuilt meanwhile, but a count from another log cannot be
        // corrected.
        if (lastPosition === undefined) at = undefined;
      },
      signal,
    });

  return {
    begin: (from) => {
      following ??= run(from);
    },
    lastPosition: () => lastPosition,
    isLive: () => live,
    addOpen: changes.addOpen,
    caughtUp: () => caughtUp.promise,
    stop: async () => following,
  };
}

import { follow, type EventStore, type LogItem } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createChanges, type Change, type Changes } from './changes.ts';

type Feed = {
  /** Starts once, at the first position that is read. */
  begin(from: () => Promise<bigint>): void;
  /** The newest followed event of an operation, or the start. */
  seen(): bigint | undefined;
  isLive(): boolean;
  /** Adds operations that began before the log was followed. */
  know: Changes['know'];
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
};

/** Follows the operations of the log, and reports how they change the use of routes. */
export function createFeed(
  {
    store,
    logger,
    signal,
  }: { store: EventStore; logger: Pick<Logger, 'warn'>; signal: AbortSignal },
  changed: (change: Change) => void,
): Feed {
  const changes = createChanges();
  let position: bigint | undefined;
  let seen: bigint | undefined;
  let live = false;
  let caughtUp = Promise.withResolvers<void>();
  const lose = () => {
    live = false;
    caughtUp = Promise.withResolvers();
  };
  let following: Promise<void> | undefined;

  const take = (item: LogItem) => {
    if (item.kind === 'caught_up') {
      live = true;
      caughtUp.resolve();
    } else if (item.kind === 'checkpoint') position = item.position;
    else {
      // First: an event that can't be read must be read again, and never skipped.
      const change = changes.of(item.event);
      position = seen = item.event.position;
      if (change) changed(change);
    }
  };

  return {
    begin: (from) => {
      following ??= follow({
        store,
        checkpoint: async () => {
          position ??= await from();
          seen ??= position;
          return position;
        },
        filter: { streamPrefixes: ['operation-'] },
        handle: async (batch) => batch.forEach(take),
        onError: (err) => {
          lose();
          logger.warn({ err }, 'the log is not followed: routes with daily limits are skipped');
        },
        signal,
      });
    },
    seen: () => seen,
    isLive: () => live,
    know: changes.know,
    caughtUp: () => caughtUp.promise,
    stop: async () => following,
  };
}

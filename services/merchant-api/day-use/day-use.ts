import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { utcDay } from '#shared/domain/daily-limits.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { dayMs } from '#shared/domain/day.ts';
import { createFeed } from './feed.ts';
import { ShopReading, type ReadingOptions } from './reading.ts';
import type { ShopDays } from './shop-days.ts';

/**
 * How much routes with daily limits took today. It costs nothing while no shop has such a limit.
 * From then on this process follows the operations in the log, and reads the earlier part of the
 * day once for each such shop.
 */
export type LiveDayUse = {
  /** Undefined while it is unknown: the log is not followed, or the read models don't answer. */
  of(shopId: string): Promise<ShopDays | undefined>;
  /** Releases what a request reserved, if it began no attempt. */
  release(of: { shop: { shopId: string }; request: string }): void;
  /** Why the log is not followed; undefined if it is, or need not be. */
  notReady(): string | undefined;
  stop(): Promise<void>;
};

/** A create waits at most this long while the day is read; the reading continues. */
const waitMs = 3_000;
export function createDayUse({
  store,
  now = Date.now,
  logger,
  metrics,
  ...readingOptions
}: Pick<ReadingOptions, 'read'> & {
  store: EventStore;
  now?: () => number;
  logger: Pick<Logger, 'error' | 'info' | 'warn'>;
  metrics?: Metrics;
}): LiveDayUse {
  const stopped = new AbortController();
  const { signal } = stopped;
  const shops = new Map<string, ShopReading>();
  const guard = guardCheckpoints({ logger, metrics });
  const feed = createFeed({ store, guard, logger, signal }, (change) =>
    shops.get(change.shopId)?.apply(change),
  );
  const day = (atMs: number) => utcDay(new Date(atMs).toISOString());
  let today = '';

  const forgetOldDays = () => {
    if (today === day(now())) return;
    today = day(now());
    for (const { days } of shops.values()) days.forgetBefore(day(now() - dayMs));
  };

  return {
    of: async (shopId) => {
      forgetOldDays();
      feed.begin(async () => (await readingOptions.read(shopId, day(now()))).at);
      // The feed tries again by itself: no create waits for it.
      if (guard.missing() !== undefined) return undefined;
      const shop =
        shops.get(shopId) ??
        new ShopReading(shopId, { ...readingOptions, logger, addOpen: feed.addOpen, now, signal });
      shops.set(shopId, shop);
      if (!shop.isRead) {
        const reading = shop
          .read(feed.lastPosition)
          .then(() => (shop.isRead ? feed.caughtUp() : undefined));
        await atMost(waitMs, reading);
      }
      return shop.isRead && feed.isLive() ? shop.days : undefined;
    },
    release: ({ shop: { shopId }, request }) => shops.get(shopId)?.days.release(request),
    notReady: guard.notReady,
    stop: async () => {
      stopped.abort();
      await feed.stop();
    },
  };
}

import { ledgerStream } from '#shared/domain/ledger/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { defaultSizes, type Sizes } from './memory.ts';
import { createLedgerMetrics } from './metrics.ts';
import { Owner } from './owner.ts';
import { readPosition } from './read-position.ts';
import type { Ledgers, PostRequest, PostResult } from './types.ts';

export type LedgersOptions = {
  store: Pick<EventStore, 'append' | 'read'>;
  /** Counts entries there. */
  metrics?: Metrics;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
  /** What is kept of ledgers that nobody uses: this many, this long. */
  maxIdleOwners?: number;
  idleMs?: number;
  /** How much of each is read at once and remembered; for tests. */
  sizes?: Sizes;
};

const defaultMaxIdleOwners = 512;
const defaultIdleMs = 60_000;
/** A post pays for dropping a few; with many under way the rest is left to the sweep. */
const looksAfterPost = 16;

/** The ledgers of all shops, as one process works with them. */
export function createLedgers(options: LedgersOptions): Ledgers {
  const { store, now = () => performance.now() } = options;
  const { maxIdleOwners = defaultMaxIdleOwners, idleMs = defaultIdleMs, sizes = defaultSizes } = options;
  /** By their streams, the least recently used first. */
  const owners = new Map<string, { owner: Owner; usedAt: number }>();
  const pending = new Set<Promise<PostResult>>();
  let stopped = false;
  const load = () => ({
    owners: owners.size,
    waiting: [...owners.values()].reduce((sum, { owner }) => sum + owner.waiting(), 0),
  });
  const metrics = options.metrics && createLedgerMetrics(options.metrics, load);
  const onBatch = metrics?.onBatch;

  const ownerOf = (shopId: string, currency: string): Owner => {
    const key = ledgerStream(shopId, currency);
    const owner = owners.get(key)?.owner ?? new Owner({ store, shopId, currency, now, sizes, onBatch });
    owners.delete(key);
    owners.set(key, { owner, usedAt: now() });
    return owner;
  };

  /** Only what is idle is dropped: a ledger has never two owners in one process. */
  const dropIdle = (maxLooks: number) => {
    const unusedSince = now() - idleMs;
    let excess = owners.size - maxIdleOwners;
    let looks = maxLooks;
    for (const [key, { owner, usedAt }] of owners) {
      if ((excess <= 0 && usedAt > unusedSince) || looks <= 0) return;
      looks -= 1;
      if (!owner.isIdle()) continue;
      owners.delete(key);
      excess -= 1;
    }
  };
  const sweeping = setInterval(() => dropIdle(owners.size), Math.max(1, idleMs / 4)).unref();

  const post = async (request: PostRequest): Promise<PostResult> => {
    if (stopped) return { outcome: 'undecided', cause: new Error('the ledgers are stopped') };
    const result = ownerOf(request.shopId, request.currency).post(request);
    pending.add(result);
    try {
      return await result;
    } finally {
      pending.delete(result);
      if (owners.size > maxIdleOwners) dropIdle(looksAfterPost);
    }
  };

  return {
    post: metrics
      ? async (request) => {
          const startedAt = performance.now();
          let result: PostResult | undefined;
          try {
            result = await post(request);
            return result;
          } finally {
            metrics.onPost(request.kind, result, startedAt);
          }
        }
      : post,
    stands: ({ shopId, currency, ...command }) =>
      owners.get(ledgerStream(shopId, currency))?.owner.stands(command) ?? false,
    takeUp: (event) => owners.get(event.stream)?.owner.takeUp(event),
    position: (shopId, currency, more = {}) => readPosition(store, { shopId, currency, ...more }),
    load,
    stop: async () => {
      stopped = true;
      clearInterval(sweeping);
      await Promise.allSettled(pending);
      await Promise.all([...owners.values()].map(({ owner }) => owner.idle()));
    },
  };
}

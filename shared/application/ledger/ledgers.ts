import { ledgerStream } from '#shared/domain/ledger/events.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { BookedOperations } from './booked-operations.ts';
import { createLedgerMetrics } from './metrics.ts';
import { Owners, type OwnersOptions } from './owners.ts';
import { readPosition } from './read-position.ts';
import type { Ledgers, PostRequest, PostResult } from './types.ts';

export type LedgersOptions = Omit<OwnersOptions, 'onBatch'> & {
  /** Counts entries there. */
  metrics?: Metrics;
};

/** How many ledgers each post checks for idle ones to drop; the sweep does the rest. */
const evictionChecksPerPost = 16;

/** The ledgers of all shops, in one process. */
export function createLedgers(options: LedgersOptions): Ledgers {
  const { store } = options;
  const load = () => owners.load();
  const metrics = options.metrics && createLedgerMetrics(options.metrics, load);
  const owners = new Owners({ ...options, onBatch: metrics?.onBatch });
  const pending = new Set<Promise<PostResult>>();
  let stopped = false;
  const sweeping = setInterval(() => owners.dropIdle(), owners.sweepEveryMs).unref();

  const post = async (request: PostRequest): Promise<PostResult> => {
    if (stopped) return { outcome: 'undecided', cause: new Error('the ledgers are stopped') };
    const result = owners.use(request.shopId, request.currency).post(request);
    pending.add(result);
    try {
      return await result;
    } finally {
      pending.delete(result);
      if (owners.areTooMany()) owners.dropIdle(evictionChecksPerPost);
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
    isPosted: ({ shopId, currency, ...command }) =>
      owners.find(ledgerStream(shopId, currency))?.isPosted(command) ?? false,
    isExplored: (request) =>
      owners.find(ledgerStream(request.shopId, request.currency))?.isExplored(request) ?? false,
    applyPosted: (event) => owners.find(event.stream)?.applyPosted(event),
    position: (shopId, currency, more = {}) => readPosition(store, { shopId, currency, ...more }),
    booked: new BookedOperations(),
    load,
    stop: async () => {
      stopped = true;
      clearInterval(sweeping);
      await Promise.allSettled(pending);
      await owners.idle();
    },
  };
}

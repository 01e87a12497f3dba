import { Problem } from '#shared/platform/http/problems.ts';

/** Of one merchant; a search that takes seconds holds a connection to PostgreSQL. */
const maxRunning = 3;
/** So that one merchant has at most half of the portal's connections to PostgreSQL. */
export const maxConnections = 2 * maxRunning;
const maxQueued = 30;

/** Runs `work`, with a limited number of requests per merchant at a time; others are queued. */
type ConcurrencyLimit = <T>(merchantId: string, work: () => Promise<T>) => Promise<T>;

type Queue = { running: number; waiting: (() => void)[] };

/**
 * Keeps the staff of one merchant, across all its shops, from occupying all connections of the
 * portal. @throws Problem not_ready when the merchant's queue is full
 */
export function createConcurrencyLimit(): ConcurrencyLimit {
  const queues = new Map<string, Queue>();
  const enter = async (queue: Queue): Promise<void> => {
    if (queue.running < maxRunning) {
      queue.running += 1;
      return;
    }
    if (queue.waiting.length >= maxQueued)
      throw new Problem('not_ready', { detail: 'too many requests in progress: retry later' });
    const turn = Promise.withResolvers<void>();
    queue.waiting.push(turn.resolve);
    await turn.promise;
  };
  return async (merchantId, work) => {
    const queue = queues.get(merchantId) ?? { running: 0, waiting: [] };
    queues.set(merchantId, queue);
    await enter(queue);
    try {
      return await work();
    } finally {
      // The slot goes to the next queued request.
      const next = queue.waiting.shift();
      if (next) next();
      else queue.running -= 1;
      if (queue.running === 0) queues.delete(merchantId);
    }
  };
}

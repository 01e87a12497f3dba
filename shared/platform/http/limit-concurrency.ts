import { Problem } from './problems.ts';

/** Runs `work`, with a limited number of requests per owner at a time; others are queued. */
type ConcurrencyLimit = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

type Queue = { running: number; waiting: (() => void)[] };

/**
 * Keeps the requests of one owner, such as a merchant, from occupying what all share.
 * @throws Problem not_ready when the owner's queue is full
 */
export function createConcurrencyLimit({
  running: maxRunning,
  queued: maxQueued,
}: {
  running: number;
  queued: number;
}): ConcurrencyLimit {
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
  return async (owner, work) => {
    const queue = queues.get(owner) ?? { running: 0, waiting: [] };
    queues.set(owner, queue);
    await enter(queue);
    try {
      return await work();
    } finally {
      // The slot goes to the next queued request.
      const next = queue.waiting.shift();
      if (next) next();
      else queue.running -= 1;
      if (queue.running === 0) queues.delete(owner);
    }
  };
}

import { Problem } from '#shared/platform/http/problems.ts';

/** Fewer than the portal has connections to PostgreSQL: a search that takes seconds holds one. */
const atOnce = 3;
const mostWaiting = 30;

/** Works on so many requests of one merchant at a time; others of it wait. */
type InTurn = <T>(merchantId: string, work: () => Promise<T>) => Promise<T>;

type Line = { running: number; waiting: (() => void)[] };

/**
 * Keeps one merchant's staff, of however many shops, from holding all of the portal's connections.
 * @throws Problem not_ready when too many requests wait
 */
export function createInTurn(): InTurn {
  const lines = new Map<string, Line>();
  const enter = async (line: Line): Promise<void> => {
    if (line.running < atOnce) {
      line.running += 1;
      return;
    }
    if (line.waiting.length >= mostWaiting)
      throw new Problem('not_ready', { detail: 'Too many requests in progress. Retry later.' });
    const turn = Promise.withResolvers<void>();
    line.waiting.push(turn.resolve);
    await turn.promise;
  };
  return async (merchantId, work) => {
    const line = lines.get(merchantId) ?? { running: 0, waiting: [] };
    lines.set(merchantId, line);
    await enter(line);
    try {
      return await work();
    } finally {
      // The place goes to the next request that waits.
      const next = line.waiting.shift();
      if (next) next();
      else line.running -= 1;
      if (line.running === 0) lines.delete(merchantId);
    }
  };
}

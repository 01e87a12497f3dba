import { setImmediate as turn } from 'node:timers/promises';

/**
 * How long long-running work may hold the event loop at a time, so that requests are answered
 * meanwhile.
 */
const longestMs = 10;

/**
 * Yields to the event loop when the work has held it for long.
 * @returns what to await after each piece of work
 */
export function createYieldTurns(now: () => number = performance.now.bind(performance)) {
  let since = now();
  return async (): Promise<void> => {
    if (now() - since < longestMs) return;
    await turn();
    since = now();
  };
}

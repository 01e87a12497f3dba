import { setImmediate as turn } from 'node:timers/promises';

/**
 * Long work holds the loop no longer than that at a time: payments and callbacks are answered in
 * between.
 */
const longestMs = 10;

/**
 * Counts what was done since the loop had its turn. @returns what to await after each piece of a
 * long work
 */
export function createTurns(now: () => number = performance.now.bind(performance)) {
  let since = now();
  return async (): Promise<void> => {
    if (now() - since < longestMs) return;
    await turn();
    since = now();
  };
}

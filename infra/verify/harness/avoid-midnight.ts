import { setTimeout as delay } from 'node:timers/promises';

const dayMs = 86_400_000;

/**
 * Resolves at once, unless the day (UTC) ends within that time: then when the next one has begun.
 * For files of tests that ask several processes for what is of today: awaited before the tests.
 */
export async function avoidMidnight(roomMs = 120_000): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < roomMs) await delay(leftMs + 100);
}

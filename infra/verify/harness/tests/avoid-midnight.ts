import { setTimeout as delay } from 'node:timers/promises';
import { dayMs } from '#shared/domain/day.ts';

/**
 * Resolves at once, unless the UTC day ends within that time: then once the next one has begun. For
 * test files that use "today" in several processes: awaited before the tests.
 */
export async function avoidMidnight(roomMs = 120_000): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < roomMs) await delay(leftMs + 100);
}

import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '#infra/verify/harness/statistics.ts';

/** What a loop saw: how many were done, and how long each took. */
export type Load = {
  operations: number;
  seconds: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
};

/** Calls `once` from `clients` loops, each as soon as its last call has come back. */
export async function closedLoop(
  { clients, durationMs }: { clients: number; durationMs: number },
  once: (client: number) => Promise<void>,
): Promise<Load> {
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + durationMs;
  const loop = async (client: number) => {
    while (performance.now() < end) {
      const startedAt = performance.now();
      await once(client);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => loop(client)));
  return loadOf(latencies, performance.now() - begin);
}

const maxInFlight = 2_000;

/**
 * Calls `once` at a steady rate, whether or not earlier calls have come back. Each is timed from
 * the moment at which it was due: what a stall holds up counts as slow.
 */
export async function openLoop(
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
  once: (index: number) => Promise<void>,
): Promise<Load> {
  const latencies: number[] = [];
  const inFlight = new Set<Promise<void>>();
  const total = Math.floor((perSecond * durationMs) / 1000);
  const begin = performance.now();
  for (let index = 0; index < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - begin) * perSecond) / 1000) + 1);
    for (; index < due; index += 1) {
      const dueAt = begin + (index * 1000) / perSecond;
      const call = once(index).then(() => void latencies.push(performance.now() - dueAt));
      inFlight.add(call);
      void call.finally(() => inFlight.delete(call)).catch(() => undefined);
      if (inFlight.size > maxInFlight)
        throw new Error(`${perSecond}/s is more than the server can do`);
    }
    await delay(1);
  }
  await Promise.all(inFlight);
  return loadOf(latencies, performance.now() - begin);
}

/** Work that is done once, such as reading a log to its end; it returns how many it did. */
export async function timed(work: () => Promise<number>): Promise<Load> {
  const begin = performance.now();
  const operations = await work();
  return untimed(operations, performance.now() - begin);
}

/** So many in all, of which nothing says how long each took. */
export const untimed = (operations: number, elapsedMs: number): Load => ({
  operations,
  seconds: elapsedMs / 1000,
  p50Ms: 0,
  p95Ms: 0,
  p99Ms: 0,
});

export const rateOf = ({ operations, seconds }: Load): number => operations / seconds;

/** The load of calls that took so long each, in milliseconds, and all together. */
export function loadOf(latencies: readonly number[], elapsedMs: number): Load {
  const sorted = Float64Array.from(latencies).toSorted();
  return {
    operations: latencies.length,
    seconds: elapsedMs / 1000,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
  };
}

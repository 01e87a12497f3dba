import { percentilesOf } from '#infra/verify/harness/statistics.ts';

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
export const loadOf = (latencies: readonly number[], elapsedMs: number): Load => ({
  operations: latencies.length,
  seconds: elapsedMs / 1000,
  ...percentilesOf(latencies),
});

import { computePercentiles, type Percentiles } from '#infra/verify/harness/figures/statistics.ts';

/** The measurements of a loop: the number of calls, and their durations. */
export type LoopMeasurement = { operations: number; seconds: number } & Percentiles;

/** Calls `once` from `clients` concurrent loops. */
export async function closedLoop(
  { clients, durationMs }: { clients: number; durationMs: number },
  once: (client: number) => Promise<void>,
): Promise<LoopMeasurement> {
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
  return toLoopMeasurement(latencies, performance.now() - begin);
}

/** Work that runs once, such as reading a log to its end. @returns how many items it did */
export async function timed(work: () => Promise<number>): Promise<LoopMeasurement> {
  const begin = performance.now();
  const operations = await work();
  return untimed(operations, performance.now() - begin);
}

/** The measurements of a number of items without durations. */
export const untimed = (operations: number, elapsedMs: number): LoopMeasurement => ({
  operations,
  seconds: elapsedMs / 1000,
  p50Ms: 0,
  p95Ms: 0,
  p99Ms: 0,
});

export const throughput = ({ operations, seconds }: LoopMeasurement): number =>
  operations / seconds;

/** The measurements of calls with these durations, in milliseconds, and their total time. */
export const toLoopMeasurement = (
  latencies: readonly number[],
  elapsedMs: number,
): LoopMeasurement => ({
  operations: latencies.length,
  seconds: elapsedMs / 1000,
  ...computePercentiles(latencies),
});

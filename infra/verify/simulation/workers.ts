import { Worker } from 'node:worker_threads';
import type { SimulationOutcome } from './run.ts';
import type { Share } from './worker.ts';

type WorkersOptions = {
  firstSeed: number;
  schedules: number;
  count: number;
  take(outcome: SimulationOutcome): void;
  /** A worker died or hangs: its schedule, and the reason. */
  broke(seed: number, why: string): void;
};

/** Far more than a schedule takes on a busy machine. */
const stuckAfterMs = 120_000;
const pollEveryMs = 1_000;
const endsWithinMs = 20_000;

/** Runs schedules in their own threads, each with its own clock and random numbers. */
export function startWorkers({ firstSeed, schedules, count, take, broke }: WorkersOptions) {
  const all = Array.from({ length: Math.min(schedules, count) }, (_, index) => {
    const at = new Float64Array(new SharedArrayBuffer(16));
    const share: Share = {
      firstSeed: firstSeed + index,
      stride: count,
      count: Math.ceil((schedules - index) / count),
      at,
    };
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: share });
    worker.on('message', take);
    const ended = new Promise<void>((resolve) => {
      worker.once('error', (error: Error) => broke(at[0] ?? 0, error.stack ?? error.message));
      worker.once('exit', () => resolve());
    });
    return { worker, ended, at, seen: { seed: NaN, sinceMs: performance.now() } };
  });
  /** Ends all workers, each after its current schedule. */
  const stop = () => {
    for (const { at } of all) at[1] = 1;
    setTimeout(() => all.forEach(({ worker }) => void worker.terminate()), endsWithinMs).unref();
  };
  const polling = setInterval(() => {
    for (const { at, seen, worker } of all) {
      const [seed = NaN] = at;
      if (seed !== seen.seed) Object.assign(seen, { seed, sinceMs: performance.now() });
      else if (performance.now() - seen.sinceMs > stuckAfterMs) {
        broke(seed, `it goes on for more than ${stuckAfterMs / 1000} s`);
        seen.sinceMs = Infinity;
        void worker.terminate();
      }
    }
  }, pollEveryMs);
  /** Settles when all have ended. */
  const ended = Promise.all(all.map((each) => each.ended)).finally(() => clearInterval(polling));
  return { ended, stop };
}

import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from './run.ts';

/** One of several workers: it runs every `stride`th seed from the first on, until it is ended. */
export type Share = {
  firstSeed: number;
  stride: number;
  count: number;
  /** Shared memory: its current seed, in case it dies or hangs; a 1 makes it end. */
  at: Float64Array;
};

const { firstSeed, stride, count, at } = workerData as Share;
for (let index = 0; index < count && at[1] !== 1; index += 1) {
  const seed = firstSeed + index * stride;
  at[0] = seed;
  const outcome = await simulate(seed);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  parentPort?.postMessage(outcome);
}

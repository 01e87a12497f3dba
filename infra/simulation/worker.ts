import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from './run.ts';

/** One of several that share the seeds out: every `stride`th from the first on, until it is ended. */
export type Share = { firstSeed: number; stride: number; count: number };

const { firstSeed, stride, count } = workerData as Share;
for (let index = 0; index < count; index += 1) {
  const outcome = await simulate(firstSeed + index * stride);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  parentPort?.postMessage(outcome);
}

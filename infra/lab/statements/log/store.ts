import { startNodeProcess, type NodeProcess } from '#infra/verify/harness/event-store-process.ts';

const clock = new URL('clock.ts', import.meta.url).href;

/**
 * An event store in which it is so much earlier: what is written there has the time of the day it
 * tells of.
 */
export const startStoreBefore = (directory: string, beforeMs: number): Promise<NodeProcess> =>
  startNodeProcess({
    directory,
    within: ['env', `NODE_OPTIONS=--import=${clock}`, `CLOCK_BEFORE_MS=${beforeMs}`],
  });

export const startStore = (directory: string): Promise<NodeProcess> =>
  startNodeProcess({ directory });

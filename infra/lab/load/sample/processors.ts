import { readFileSync } from 'node:fs';

/** The time of all CPUs so far, in ticks. `steal`: used by other machines on the host. */
export type Processors = {
  readonly all: number;
  readonly idle: number;
  readonly iowait: number;
  readonly steal: number;
};

export function readProcessors(): Processors {
  const ticks =
    readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]
      ?.trim()
      .split(/\s+/)
      .slice(1, 9)
      .map(Number) ?? [];
  const [idle = 0, iowait = 0, steal = 0] = [ticks[3], ticks[4], ticks[7]];
  return { all: ticks.reduce((sum, one) => sum + one, 0), idle, iowait, steal };
}

/** What they did between two looks, as shares of all their time. */
export function processorShares(before: Processors, after: Processors) {
  const all = Math.max(1, after.all - before.all);
  const idle = after.idle - before.idle;
  const iowait = after.iowait - before.iowait;
  const steal = after.steal - before.steal;
  return { busy: (all - idle - iowait - steal) / all, iowait: iowait / all, steal: steal / all };
}

import { readUsage } from '#infra/lab/load/sample/usage.ts';

const everyMs = 250;

export type Measured = { seconds: Record<string, number>; peakBytes: Record<string, number> };

/** How long each part takes, and how much memory each process has at most. */
export function createMeasure(say: (line: string) => void) {
  const named: Record<string, number> = { 'this run': process.pid };
  const measured: Measured = { seconds: {}, peakBytes: {} };
  const look = () => {
    for (const [name, { memoryBytes }] of Object.entries(readUsage(named)))
      measured.peakBytes[name] = Math.max(memoryBytes, measured.peakBytes[name] ?? 0);
  };
  const timer = setInterval(look, everyMs);
  return {
    watch: (name: string, pid: number): void => void (named[name] = pid),
    timed: async <T>(name: string, work: () => Promise<T> | T): Promise<T> => {
      const startedAt = performance.now();
      const done = await work();
      const seconds = (performance.now() - startedAt) / 1_000;
      measured.seconds[name] = (measured.seconds[name] ?? 0) + seconds;
      say(`${name}: ${seconds.toFixed(1)} s`);
      return done;
    },
    end: (): Measured => {
      clearInterval(timer);
      return measured;
    },
  };
}

export type Measure = ReturnType<typeof createMeasure>;

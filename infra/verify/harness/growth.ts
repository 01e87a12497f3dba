const parts = 64;

/**
 * The ratio of the time for a whole to the time for its 64 parts: about 1 for linear work, 64 for
 * quadratic work. The best of several runs counts, to exclude other load on the machine.
 */
export function measureGrowth(work: (size: number) => unknown, size: number): number {
  const shortestRun = (run: () => void) =>
    Math.min(
      ...Array.from({ length: 8 }, () => {
        const before = performance.now();
        run();
        return performance.now() - before;
      }),
    );
  const inParts = shortestRun(() => {
    for (let part = 0; part < parts; part += 1) work(size / parts);
  });
  return shortestRun(() => work(size)) / inParts;
}

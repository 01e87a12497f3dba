const parts = 64;

/**
 * How much longer work takes on one whole than on its 64 parts: about 1 where it is linear in its
 * size, 64 where it is quadratic. Of each the quickest of several runs counts, so that what else
 * the machine does is left out.
 */
export function growthOf(work: (size: number) => unknown, size: number): number {
  const quickest = (run: () => void) =>
    Math.min(
      ...Array.from({ length: 8 }, () => {
        const before = performance.now();
        run();
        return performance.now() - before;
      }),
    );
  const inParts = quickest(() => {
    for (let part = 0; part < parts; part += 1) work(size / parts);
  });
  return quickest(() => work(size)) / inParts;
}

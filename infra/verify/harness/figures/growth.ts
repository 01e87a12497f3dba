import { usedMs } from './used-ms.ts';

const parts = 64;
/** The kernel may count CPU time in steps of 4 ms. */
const leastMs = 60;

/**
 * The ratio of the CPU time for a whole to that for its 64 parts: about 1 for linear work, 64 for
 * quadratic work. Both are repeated in turn, until the parts have taken long enough to be compared.
 */
export function measureGrowth(work: (size: number) => unknown, size: number): number {
  const timed = (run: () => void) => {
    const before = usedMs();
    run();
    return usedMs() - before;
  };
  const inParts = () => {
    for (let part = 0; part < parts; part += 1) work(size / parts);
  };
  let [wholeMs, partsMs] = [0, 0];
  while (partsMs < leastMs) {
    partsMs += timed(inParts);
    wholeMs += timed(() => void work(size));
  }
  return wholeMs / partsMs;
}

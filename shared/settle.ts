import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

export type Settling = {
  /** How far what is old may grow beyond what lived at the last collection of the whole heap, in per cent; 100 unless told. */
  oldGrowthPercent?: number;
};

/** When a start is over and nobody waits for it any more. */
const settledMs = 3_000;

/**
 * What a process that runs for weeks does otherwise than one that starts: called once, it takes effect after 3 s.
 *
 * - Node writes its compile cache when a process ends, which after a very first start would take seconds of the stop: it is
 *   written here. What was compiled under other flags is not taken from it, so the flags come after.
 * - V8 gives objects their place among the old ones at once where those of the same line of code lived long during a
 *   burst, and keeps to that when each lives for a millisecond again. All that these point to then outlives the small
 *   collections too: they copy several times as much, and the whole heap has to be collected far more often.
 * - The less becomes old, the closer above what lives V8 sets the size at which it collects the whole heap: each 2.5 s at
 *   0.65 MB a second, and each time requests wait for tens of milliseconds. Here it does when what is old has
 *   doubled, or grown as far as the process says that it may.
 */
export function settleOnceStarted({ oldGrowthPercent = 100 }: Settling = {}): void {
  const settle = () => {
    flushCompileCache();
    setFlagsFromString('--no-allocation-site-pretenuring');
    setFlagsFromString(`--heap-growing-percent=${oldGrowthPercent}`);
  };
  setTimeout(settle, settledMs).unref();
}

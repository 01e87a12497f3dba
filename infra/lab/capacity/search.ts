import { tryRate, watchAt, workOff, type Driver, type Step } from '#infra/lab/load/driver.ts';
import { rateOfStep, type CapacityOptions } from './options.ts';

export type Search = {
  readonly steps: readonly Step[];
  /** The rate that bent at each try; undefined if every rate held. */
  readonly bend: Step | undefined;
  /** The highest rate that held. */
  readonly held: Step | undefined;
};

/** A rate that bends as often is the bend. */
const triesOfRate = 3;
/**
 * Of all processors' time: where other machines on the host have more, a rate that bends tells
 * nothing of the gateway.
 */
const stealAtMost = 0.1;
const triesAtMost = 8;

/**
 * Warms up; then rates, one after the other, until one bends at each try: a disk or a neighbour
 * that stalls the machine now and then is no bend, and a try in which a neighbour had much of it
 * does not count. In between, what has piled up is worked off.
 */
export async function searchBend(driver: Driver<CapacityOptions>): Promise<Search> {
  const { options, say } = driver;
  await warmUp(driver);
  const steps: Step[] = [];
  let held: Step | undefined;
  for (let number = 0; ; number += 1) {
    const rate = rateOfStep(options, number);
    if (rate === undefined) return { steps, bend: undefined, held };
    let step = await tryRate(driver, { rate, before: steps, again: false });
    steps.push(step);
    let bent = 0;
    for (let tries = 1; step.reasons.length > 0 && tries < triesAtMost; tries += 1) {
      if (step.machine.steal <= stealAtMost) bent += 1;
      if (bent === triesOfRate) break;
      say('it bends: once more, when what has piled up is worked off');
      await workOff(driver);
      step = await tryRate(driver, { rate, before: steps, again: true });
      steps.push(step);
    }
    if (step.reasons.length > 0) return { steps, bend: step, held };
    held = step;
  }
}

/**
 * Compilers and caches are no part of any figure: V8 compiles what has run some thousand times,
 * which at the first rate would be within the search.
 */
async function warmUp(driver: Driver<CapacityOptions>): Promise<void> {
  const { options, say } = driver;
  const first = options.rates?.[0] ?? options.firstRate;
  for (const rate of [first, 2 * first, 3 * first]) {
    say(`warming up: ${options.warmUpSeconds} s at ${rate} requests/s`);
    await watchAt(driver, { phase: 'warm-up', rate }, options.warmUpSeconds);
  }
  await workOff(driver);
}

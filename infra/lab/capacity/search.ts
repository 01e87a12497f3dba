import { tryRate, watchAt, workOff, type Driver, type LoadStep } from '#infra/lab/load/driver.ts';
import { rateOfStep, type CapacityOptions } from './options.ts';

export type CapacitySearch = {
  readonly steps: readonly LoadStep[];
  /** The rate that bent in every try; undefined if every rate held. */
  readonly bend: LoadStep | undefined;
  /** The highest rate that held. */
  readonly held: LoadStep | undefined;
};

/** A rate that bends as often is the bend. */
const triesOfRate = 3;
/**
 * The share of CPU time that other machines may have: above it, a bend shows nothing about the
 * gateway.
 */
const stealAtMost = 0.1;
const triesAtMost = 8;

/**
 * Warms up, then tries rates, one after the other, until one bends in every try: an occasional
 * stall of the disk or a neighbour is not a bend, and a try with much stolen time does not count.
 * In between, the backlog is processed.
 */
export async function searchBend(driver: Driver<CapacityOptions>): Promise<CapacitySearch> {
  const { options, print } = driver;
  await warmUp(driver);
  const steps: LoadStep[] = [];
  let held: LoadStep | undefined;
  for (let number = 0; ; number += 1) {
    const rate = rateOfStep(options, number);
    if (rate === undefined) return { steps, bend: undefined, held };
    let step = await tryRate(driver, { rate, before: steps, again: false });
    steps.push(step);
    let bent = 0;
    for (let tries = 1; step.reasons.length > 0 && tries < triesAtMost; tries += 1) {
      if (step.machine.steal <= stealAtMost) bent += 1;
      if (bent === triesOfRate) break;
      print('it bends: once more, when what has piled up is worked off');
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
  const { options, print } = driver;
  const first = options.rates?.[0] ?? options.firstRate;
  for (const rate of [first, 2 * first, 3 * first]) {
    print(`warming up: ${options.warmUpSeconds} s at ${rate} requests/s`);
    await watchAt(driver, { phase: 'warm-up', rate }, options.warmUpSeconds);
  }
  await workOff(driver);
}

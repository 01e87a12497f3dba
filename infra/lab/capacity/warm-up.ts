import { workOff, type Driver } from '#infra/lab/load/driver.ts';
import type { CapacityOptions } from './options.ts';

/**
 * Compilers and caches are no part of any figure: V8 compiles what has run some thousand times,
 * which at the first rate would be within the search.
 */
export async function warmUp(driver: Driver<CapacityOptions>): Promise<void> {
  const { options, sampler, generator, say } = driver;
  const first = options.rates?.[0] ?? options.firstRate;
  for (const rate of [first, 2 * first, 3 * first]) {
    say(`warming up: ${options.warmUpSeconds} s at ${rate} requests/s`);
    await generator.ask({ order: 'rate', perSecond: rate });
    sampler.enter('warm-up', rate);
    await sampler.watch(options.warmUpSeconds);
  }
  await workOff(driver);
}

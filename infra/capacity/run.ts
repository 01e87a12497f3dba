import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createRandom } from '../testing/random.ts';
import { startHelper } from './helper-process.ts';
import type { GeneratorOrder, SinkOrder } from './load/messages.ts';
import { describeMachine, type Machine } from './machine.ts';
import type { CapacityOptions } from './options.ts';
import { comeToRest, type AtRest } from './rest.ts';
import { createSampler } from './sample/sampler.ts';
import type { Sample } from './sample/sample.ts';
import { searchBend, workOff, type Driver, type Search } from './search.ts';
import { soakAt, type Soak } from './soak.ts';
import { metricsPagesOf, openShops, startCapacityStack } from './stack.ts';

export type CapacityResult = {
  readonly options: CapacityOptions;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly search: Search;
  readonly soak: Soak | undefined;
  readonly rest: AtRest;
  readonly samples: readonly Sample[];
};

export type Hooks = {
  readonly say: (line: string) => void;
  /** Is given what ends everything early. */
  readonly onStop: (stop: () => Promise<void>) => void;
};

/** A stack of its own, loaded until it bends, then for long with half of that, then held to what it answered. */
export async function runCapacity(options: CapacityOptions, { say, onStop }: Hooks): Promise<CapacityResult> {
  const out = resolve(options.out);
  const dataDir = join(out, `stack-${process.pid}`);
  mkdirSync(dataDir, { recursive: true });
  const startedAt = new Date().toISOString();
  const machine = describeMachine(out);
  const stops: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      for (const each of stops.toReversed()) await each().catch(() => undefined);
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    })());
  onStop(stop);
  try {
    say('the stack starts');
    const stack = await startCapacityStack(dataDir);
    stops.push(() => stack.stop());
    const sink = startHelper<SinkOrder>('sink/main.ts');
    stops.push(sink.stop);
    const generator = startHelper<GeneratorOrder>('load/generator.ts');
    stops.push(generator.stop);
    const shops = await openShops(stack, sink);
    const seed = createRandom(options.seed).below(2 ** 31);
    await generator.ask({ order: 'begin', gateway: stack.urls.gateway, shops, seed });
    const sampler = createSampler({ stack, pages: metricsPagesOf(stack), generator, sink });
    const driver: Driver = { options, sampler, generator, say };
    await warmUp(driver);
    const search = await searchBend(driver);
    await workOff(driver);
    const top = search.bend?.figures.rate ?? search.held?.figures.rate;
    const rate = Math.max(1, Math.round((top ?? options.firstRate) / 2));
    if (options.soakMinutes > 0) say(`${options.soakMinutes} minutes at ${rate} requests/s`);
    const soak = options.soakMinutes > 0 ? await soakAt(rate, driver) : undefined;
    const rest = await comeToRest(driver, { stack, shops });
    return { options, startedAt, machine, search, soak, rest, samples: sampler.samples };
  } finally {
    await stop();
  }
}

/**
 * Compilers and caches are no part of any figure: V8 compiles what has run some thousand times, which at the first rate
 * would be within the search.
 */
async function warmUp(driver: Driver): Promise<void> {
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

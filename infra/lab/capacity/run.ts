import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { searchBoth, type Comparison } from './compare.ts';
import { describeMachine, type Machine } from './machine.ts';
import type { CapacityOptions } from './options.ts';
import { comeToRest, type AtRest } from './rest.ts';
import type { Sample } from '#infra/lab/load/sample/sample.ts';
import { workOff } from '#infra/lab/load/driver.ts';
import { searchBend, type Search } from './search.ts';
import { soakAt, type Soak } from './soak.ts';
import { startGateway } from '#infra/lab/targets/gateway.ts';
import { startLoad, type StartedLoad } from '#infra/lab/load/start-load.ts';

export type CapacityResult = {
  readonly options: CapacityOptions;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly search: Search;
  readonly soak: Soak | undefined;
  readonly rest: AtRest;
  readonly samples: readonly Sample[];
  /** Undefined if the gateway was measured alone. */
  readonly comparison: Comparison | undefined;
};

type Say = (line: string) => void;

/** Measures the gateway and its counterpart. */
export async function runCapacity(options: CapacityOptions, say: Say): Promise<CapacityResult> {
  const gateway = await runGateway(options, say);
  return { ...gateway, comparison: options.alone ? undefined : await searchBoth(options, say) };
}

/**
 * Loads a separate stack until it bends, then for long with half of that rate, then verifies it.
 */
async function runGateway(
  options: CapacityOptions,
  say: Say,
): Promise<Omit<CapacityResult, 'comparison'>> {
  const out = resolve(options.out);
  const dataDir = join(out, `stack-${process.pid}`);
  mkdirSync(dataDir, { recursive: true });
  const startedAt = new Date().toISOString();
  const machine = describeMachine(out);
  let load: StartedLoad<CapacityOptions> | undefined;
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      await load?.stop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    })());
  // What a run says whose processes are being stopped under it, is not heard any more.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  try {
    say('the stack starts');
    const { seed } = options;
    load = await startLoad(startGateway({}, dataDir), { mix: 'whole', seed, options, say });
    const { driver } = load;
    const search = await searchBend(driver);
    await workOff(driver);
    const top = search.bend?.figures.rate ?? search.held?.figures.rate;
    const rate = Math.max(1, Math.round((top ?? options.firstRate) / 2));
    if (options.soakMinutes > 0) say(`${options.soakMinutes} minutes at ${rate} requests/s`);
    const soak = options.soakMinutes > 0 ? await soakAt(rate, driver) : undefined;
    const rest = await comeToRest(driver, dataDir);
    return { options, startedAt, machine, search, soak, rest, samples: driver.sampler.samples };
  } finally {
    await stop();
  }
}

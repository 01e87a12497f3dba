import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { searchBoth } from './compare.ts';
import { describeMachine } from './machine.ts';
import type { CapacityOptions } from './options.ts';
import { comeToRest } from './rest.ts';
import { workOff, type Driver } from '#infra/lab/load/driver.ts';
import { searchBend } from './search.ts';
import { soakAt } from './soak.ts';
import { startGateway } from '#infra/lab/targets/gateway.ts';
import { startLoad } from '#infra/lab/load/start-load.ts';

export type CapacityResult = Awaited<ReturnType<typeof runCapacity>>;

/** Measures the gateway and, unless it is measured alone, its counterpart. */
export async function runCapacity(options: CapacityOptions, print: Driver['print']) {
  const gateway = await runGateway(options, print);
  return { ...gateway, comparison: options.alone ? undefined : await searchBoth(options, print) };
}

/**
 * Loads a separate stack until it bends, then for long with half of that rate, then verifies it.
 */
async function runGateway(options: CapacityOptions, print: Driver['print']) {
  const out = resolve(options.out);
  const dataDir = join(out, `stack-${process.pid}`);
  mkdirSync(dataDir, { recursive: true });
  const startedAt = new Date().toISOString();
  const machine = describeMachine(out);
  let stopLoad: (() => Promise<void>) | undefined;
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      await stopLoad?.();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    })());
  // What a run reports while its processes are being stopped is ignored.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  try {
    print('the stack starts');
    const { seed } = options;
    const load = await startLoad(startGateway({}, dataDir), { mix: 'whole', seed, options, print });
    const { driver } = load;
    stopLoad = load.stop;
    const search = await searchBend(driver);
    await workOff(driver);
    const top = search.bend?.figures.rate ?? search.held?.figures.rate;
    const rate = Math.max(1, Math.round((top ?? options.firstRate) / 2));
    if (options.soakMinutes > 0) print(`${options.soakMinutes} minutes at ${rate} requests/s`);
    const soak = options.soakMinutes > 0 ? await soakAt(rate, driver) : undefined;
    const rest = await comeToRest(driver, dataDir);
    return { options, startedAt, machine, search, soak, rest, samples: driver.sampler.samples };
  } finally {
    await stop();
  }
}

import { startCrud } from '#infra/lab/counterpart/start.ts';
import type { CapacityOptions } from './options.ts';
import type { Driver } from '#infra/lab/load/driver.ts';
import { searchBend } from './search.ts';
import { startLoad } from '#infra/lab/load/start-load.ts';
import type { StartTarget } from '#infra/lab/load/target.ts';
import { startGateway } from '#infra/lab/targets/gateway.ts';

export type CapacityComparison = Awaited<ReturnType<typeof searchBoth>>;

/**
 * Searches the bend of the gateway and of its counterpart, for the requests that both support: one
 * after the other, each newly started.
 */
export async function searchBoth(options: CapacityOptions, print: Driver['print']) {
  const search = async (name: string, start: StartTarget) => {
    print(`${name}, without receipts`);
    const { seed } = options;
    const { driver, stop } = await startLoad(start, {
      mix: 'withoutReceipts',
      seed,
      options,
      print,
    });
    try {
      return await searchBend(driver);
    } finally {
      await stop();
    }
  };
  const counterpart = await search('the CRUD counterpart', startCrud);
  return { gateway: await search('the gateway', startGateway()), counterpart };
}

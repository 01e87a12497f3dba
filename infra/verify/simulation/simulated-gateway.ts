import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';
import { createCluster, type Cluster } from './cluster.ts';
import { createDueTable } from './due-table.ts';
import { createFiles } from './files.ts';
import type { SimulatedLog } from './log.ts';
import { createNetwork } from './network.ts';
import { createServiceStarter } from './service-starter.ts';
import { plan } from './people/merchant.ts';
import {
  createSimulatedDirectory,
  makeShop,
  simpleProviders,
  type SimulatedShop,
} from './people/shops.ts';
import { createSimulatedBank } from './provider/bank/bank.ts';
import { createSimulatedProvider } from './provider/provider.ts';

export type SimulatedGateway = ReturnType<typeof simulateGateway>;

/** Shops, providers, instances, stores and the merchants' plans, all determined by the seed. */
export function simulateGateway({
  random,
  log,
  find,
}: {
  random: Random;
  log: SimulatedLog;
  find: Find;
}) {
  const due = createDueTable();
  const files = createFiles();
  const shops = Array.from({ length: 1 + random.below(2) }, () => makeShop(log, random));
  const late: { cluster?: Cluster } = {};
  const network = createNetwork({
    random,
    faultRate: random.pick([0, 0.02, 0.05, 0.15]),
    crash: (instance) => late.cluster?.crash(instance),
  });
  const bank = createSimulatedBank(random);
  const simple = simpleProviders.map((name) =>
    createSimulatedProvider({
      name,
      polled: name === 'polled',
      random,
      sendCallback: async (provider, callback) => {
        const to = { service: 'processor', index: random.below(2) } as const;
        const init = { method: 'POST', body: JSON.stringify(callback) };
        const answer = await late.cluster?.request(to, `/callbacks/${provider}`, init);
        // If the answer is lost, the callback is repeated.
        return answer?.status === 204 && !random.chance(0.1);
      },
    }),
  );
  const providers = [...simple, bank];
  const directory = createSimulatedDirectory(shops);
  const ports = {
    random,
    log,
    due,
    files,
    directory,
    network: () => network,
    providers: () => providers,
    find,
  };
  const cluster = createCluster({ random, start: createServiceStarter(ports) });
  late.cluster = cluster;
  const operations = Array.from({ length: 2 + random.below(7) }, (_, number) =>
    plan(random, random.pick(shops as [SimulatedShop]), number),
  );
  return { log, due, files, shops, network, providers, bank, cluster, operations };
}

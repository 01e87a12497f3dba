import { Registry } from 'prom-client';
import { createAdminAccessLog } from '#services/back-office/api/access-log.ts';
import type { AdminEnv } from '#services/back-office/api/authentication.ts';
import { registerClose } from '#services/back-office/api/operations/close.ts';
import { registerReview } from '#services/back-office/api/operations/review.ts';
import { createMerchantApi } from '#services/merchant-api/app.ts';
import { createProcessorApp } from '#services/processor/app.ts';
import type { Timings } from '#services/processor/due/timings.ts';
import { startProcessor } from '#services/processor/processor.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import { createApp } from '#shared/platform/http/app.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { defaultSizes } from '#shared/application/ledger/memory.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';
import type { RunningService, StartService } from './cluster.ts';
import type { DueTable } from './due-table.ts';
import type { Files } from './files.ts';
import { reachLog, type SimulatedLog } from './log.ts';
import type { Network } from './network.ts';
import type { SimulatedProvider } from './provider/simulated-provider.ts';
import { watchProvider } from './provider/watched.ts';

type Ports = {
  random: Random;
  log: SimulatedLog;
  due: DueTable;
  files: Files;
  directory: Directory;
  network: () => Network;
  providers: () => readonly SimulatedProvider[];
  find: Find;
};

const acceptanceMs = 4_000;
/** Days become seconds. */
const timings: Timings = {
  graceMs: 300,
  silenceMs: 2_000,
  longestSilenceMs: 8_000,
  retryMs: 200,
  longestRetryMs: 3_000,
};
const saveEveryMs = 1_000;
/**
 * Small enough that an owner must read its ledger back, and short enough that owners are recreated.
 */
const smallLedgers = { sizes: { firstPage: 2, page: 3, generation: 4, older: 5 }, idleMs: 4_000 };

/** How the services' own code is started on the ports of one instance. */
export function createServiceStarter({
  random,
  log,
  due,
  files,
  directory,
  ...later
}: Ports): StartService {
  const logger = createLogger('simulation', 'silent');
  const ledgerOptions = random.chance(0.5) ? smallLedgers : { sizes: defaultSizes };

  return (service, instance, lag) => {
    const network = later.network();
    const store = reachLog(log, network, { from: instance, lag });
    const providers = new Map(
      later.providers().map((each) => {
        return [each.name, watchProvider(each, each.reach(network, instance), later.find)];
      }),
    );
    const receipts = files.reach(network, instance);
    const personal = testPersonalData(store);
    const shared = { store, providers, personal, receipts, logger, metrics: new Registry() };
    if (service === 'processor') {
      const processor = startProcessor({
        ...shared,
        due: due.reach(network, instance),
        timings,
        saveEveryMs,
        ledgerOptions,
      });
      const end = () => {
        due.connectionLost(instance);
        void processor.stop();
      };
      return { app: createProcessorApp({ ...shared, now: () => Date.now() }), store, end };
    }
    const ledgers = createLedgers({ store, ...ledgerOptions });
    const end = () => void ledgers.stop();
    if (service === 'admin')
      return { app: adminApp({ ...shared, ledgers, connectors: providers }), store, ledgers, end };
    const app = createMerchantApi({
      ...shared,
      directory,
      ledgers,
      acceptanceMs,
      payBaseUrl: 'http://pay.simulated',
      links: createReceiptLinks({
        baseUrl: 'http://gateway.simulated',
        secret: 'a-secret-of-the-links',
      }),
      allowPrivate: true,
      notReady: async () => undefined,
    });
    return { app, store, ledgers, end };
  };
}

/** The one command of the admin API that is not a function of its own; the operator is given. */
function adminApp(
  given: Omit<Parameters<typeof registerClose>[1], 'accessLog'> & { metrics: Registry },
): RunningService['app'] {
  const app = createApp<AdminEnv>(given);
  app.use('*', async (c, next) => {
    c.set('operator', { tokenId: 'first', name: 'admin', role: 'admin' });
    await next();
  });
  const accessLog = createAdminAccessLog({ write: () => undefined });
  registerReview(app, { ...given, accessLog });
  registerClose(app, { ...given, accessLog });
  return app;
}

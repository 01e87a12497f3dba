import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { ErasableEventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { startTestSandbox, type TestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { createMerchantApi } from '../app.ts';
import type { MerchantDependencies } from '../dependencies.ts';
import type { Api } from './client.ts';

/** What a test may change for one instance. */
export type Change = Partial<
  Pick<
    MerchantDependencies,
    | 'store'
    | 'ledgers'
    | 'providers'
    | 'breakers'
    | 'dayUse'
    | 'db'
    | 'exports'
    | 'statementsDb'
    | 'receipts'
    | 'links'
    | 'acceptanceMs'
    | 'allowPrivate'
    | 'logger'
  > &
    Pick<Parameters<typeof createMerchantApi>[0], 'gateOptions' | 'batchWorker'>
>;

type Started = {
  store: ErasableEventStore;
  sandbox: TestSandbox;
  providers: ReturnType<typeof createProviders>;
  ledgers: Ledgers;
  /** The first instance. */
  api: Api;
};

/** Long enough for a machine that stalls for seconds. */
const acceptanceMs = 20_000;

/** Instances of the API and what they share. `started` is filled before the tests run. */
export function useInstances(eventStoreUrl: () => string) {
  const started = {} as Started;
  const directories: Directory[] = [];
  const folder = folderForFile();
  const receipts = createReceiptStore({
    ...loadConfig([...receiptStoreVariables], {}),
    DATA_DIR: folder,
  });
  const links = createReceiptLinks({
    baseUrl: 'http://gateway.test',
    secret: 'a-secret-of-the-links',
  });

  const instance = (change: Change = {}): Api => {
    const { store, providers, ledgers } = started;
    const directory = createDirectory(store);
    directories.push(directory);
    return createMerchantApi({
      store,
      directory,
      providers: providers.providers,
      logger,
      metrics: createMetrics('test'),
      acceptanceMs,
      ledgers,
      payBaseUrl: 'http://pay.test',
      receipts,
      personal: testPersonalData(change.store ?? store),
      links,
      allowPrivate: true,
      notReady: async () => undefined,
      ...change,
    });
  };

  beforeAll(async () => {
    started.store = connectEventStore(eventStoreUrl());
    started.sandbox = await startTestSandbox();
    started.providers = createProviders(started.sandbox.config, logger);
    started.ledgers = createLedgers({ store: started.store });
    started.api = instance();
  });
  afterAll(async () => {
    await Promise.all(directories.map((directory) => directory.stop()));
    await started.ledgers.stop();
    await started.providers.close();
    await started.sandbox.stop();
    await started.store.close();
  });
  return { started, instance, receipts, receiptsFolder: join(folder, 'receipts'), links };
}

import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { createProcessorApp } from '../app.ts';
import type { DueStore } from '../due/due-store.ts';
import type { Timings } from '../due/timings.ts';
import { createDueStore } from '../due/postgres/due-store.ts';
import type { ProcessorDatabase } from '../due/postgres/tables.ts';
import { startProcessor } from '../processor.ts';

/** Short, so that a test can wait for all of them. */
const quick: Timings = {
  graceMs: 20,
  silenceMs: 60_000,
  longestSilenceMs: 60_000,
  retryMs: 20,
  longestRetryMs: 100,
};

export type TestProcessor = {
  callback(
    sent: { headers: Record<string, string>; body: string },
    provider?: string,
  ): Promise<Response>;
  stop(): Promise<void>;
};

/** A processor in this process, with its own clients. */
export function runProcessor(given: {
  store: EventStore;
  databaseUrl: string;
  provider: { connector: ProviderConnector };
  timings?: Partial<Timings>;
  receipts?: Pick<ReceiptStore, 'get'>;
  /** Wraps the processor's store of due work; by default, it is unchanged. */
  through?: (due: DueStore) => DueStore;
}): TestProcessor {
  const { store, provider } = given;
  const db = connectDatabase<ProcessorDatabase>(given.databaseUrl, {
    applicationName: 'processor-test',
  });
  const metrics = createMetrics('processor');
  const personal = testPersonalData(store);
  const providers = new Map([[provider.connector.name, provider.connector]]);
  const processor = startProcessor({
    due: given.through?.(createDueStore(db)) ?? createDueStore(db),
    store,
    providers,
    personal,
    receipts: given.receipts ?? { get: async () => undefined },
    logger,
    metrics,
    timings: { ...quick, ...given.timings },
    saveEveryMs: 100,
    outageMs: 0,
  });
  const app = createProcessorApp({
    store,
    providers,
    personal,
    logger,
    metrics,
    now: () => Date.now(),
  });
  return {
    callback: async (sent, name = 'sandbox') =>
      app.request(`/callbacks/${name}`, { method: 'POST', headers: sent.headers, body: sent.body }),
    stop: async () => {
      await processor.stop();
      await db.destroy();
    },
  };
}

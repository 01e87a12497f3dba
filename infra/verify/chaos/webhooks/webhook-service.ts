import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { startRestartableStores } from '#services/webhooks/testing/restartable-stores.ts';
import type { Killable } from './moments.ts';
import { createPartProcess } from './part-process.ts';

export type RestartableWebhookService = Awaited<ReturnType<typeof startRestartableWebhookService>>;

const schedule = Array.from({ length: 50 }, () => '100ms').join(',');
const reconcilerProgram = fileURLToPath(new URL('./reconciler.ts', import.meta.url));

/** The service on its own stores, each part in its own process. */
export async function startRestartableWebhookService() {
  const stores = await startRestartableStores();
  const store = connectEventStore(stores.eventStore.url);
  const db = connectDatabase<WebhooksDatabase>(stores.postgres.url, {
    applicationName: 'crash-test',
  });
  let repairs = 0;
  const onLine = (line: string) => {
    if (line.includes('a webhook was missing')) repairs += 1;
  };
  const note = (name: string) => ({
    onLine: (line: string) => {
      if (process.env['TEST_LOG_LEVEL']) process.stderr.write(`${name} ${line}\n`);
    },
  });
  const part = (only: Killable) => createPartProcess(stores, { only, schedule, ...note(only) });
  const parts = {
    relay: await part('relay'),
    ingest: await part('ingest'),
    dispatch: await part('dispatch'),
  };
  /** All parts in one process, not started yet. */
  const whole = await createPartProcess(stores, { schedule, ...note('whole') });
  const reconciler = await createPartProcess(stores, { program: reconcilerProgram, onLine });
  await migrateWebhooks(db);
  for (const each of Object.values(parts)) each.start();
  return {
    stores,
    store,
    db,
    parts,
    whole,
    reconciler,
    /** Webhooks that the reconciliation reported as recorded. */
    repairs: () => repairs,
    close: async () => {
      await Promise.all([...Object.values(parts), whole, reconciler].map((each) => each.stop()));
      await db.destroy();
      await store.close();
      await stores.stop();
    },
  };
}

const askAgainMs = 100;
const maxAsks = 100;

/**
 * Queries PostgreSQL, with retries while it restarts.
 * @throws the error of the last of 100 tries
 */
export async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === maxAsks) throw error;
      await delay(askAgainMs);
    }
  }
}

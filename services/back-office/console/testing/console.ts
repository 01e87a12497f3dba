import { pino } from 'pino';
import { createDatabase } from '#infra/verify/harness/database.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { startOwnLog } from '#infra/verify/harness/own-log.ts';
import { listProjections } from '#projections/status.ts';
import { startProjections } from '#projections/start.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { expect } from 'vitest';
import { startAdmin, type TestAdmin } from '../../testing/admin.ts';
import { migrateConsole } from '../session/tables.ts';
import { visit, type Visitor } from './visitor.ts';

export type TestConsole = TestAdmin & {
  databaseUrl: string;
  /** The receipt files that the console reads, by key. */
  receipts: Map<string, Uint8Array>;
  visitor(token?: string): Promise<Visitor>;
  /** Another instance of the service on the same stores. */
  another(more?: Parameters<typeof startAdmin>[1]): Promise<TestAdmin>;
  /** Resolves when the read models have caught up with the log. */
  caughtUp(): Promise<void>;
};

/** The admin service on its own log and read models; `stop` stops all of them. */
export async function startConsole(): Promise<TestConsole> {
  const log = await startOwnLog();
  const database = await createDatabase();
  const receipts = new Map<string, Uint8Array>();
  const urls = { eventStoreUrl: log.url, databaseUrl: database.url };
  const admin = await startAdmin(urls, { receipts: { get: async (key) => receipts.get(key) } });
  await migrateWebhooks(admin.db);
  await migrateConsole(admin.db);
  const db = connectDatabase<unknown>(database.url, {
    applicationName: 'projections-test',
    maxConnections: 12,
  });
  const projections = startProjections({
    db,
    store: admin.store,
    logger: pino({ level: 'silent' }),
  });
  const isCaughtUp = async () => {
    const all = await listProjections(admin.db, admin.store).catch(() => undefined);
    return all?.every(({ status, lag_events: lag }) => status === 'live' && lag === 0) ?? false;
  };
  const test: TestConsole = {
    ...admin,
    databaseUrl: database.url,
    receipts,
    visitor: async (token) => {
      const visitor = visit((path, init) => fetch(`http://127.0.0.1:${admin.port}${path}`, init));
      if (token !== undefined) expect((await visitor.signIn(token)).status).toBe(303);
      return visitor;
    },
    another: (more) => startAdmin(urls, more),
    caughtUp: async () =>
      waitUntil('the read models have caught up', isCaughtUp, { timeoutMs: 20_000 }),
    stop: async () => {
      await projections.stop();
      await db.destroy();
      await admin.stop();
      await log.stop();
      await database.drop();
    },
  };
  await test.caughtUp();
  return test;
}

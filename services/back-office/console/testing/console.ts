import { createDatabase } from '#infra/verify/harness/stores/database.ts';
import { eventually, waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { startOwnLog } from '#infra/verify/harness/stores/own-log.ts';
import { readModels } from '#projections/registry.ts';
import type { WorkerStatus } from '#projections/runner/worker-status.ts';
import { listProjections } from '#projections/status.ts';
import { startProjections } from '#projections/start.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { expect } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import type { AdminDependencies } from '../../api/dependencies.ts';
import { startAdmin, type TestAdmin } from '../../testing/admin.ts';
import { migrateConsole } from '../session/tables.ts';
import { visitorAt, type Visitor } from './visitor.ts';

export type TestConsole = TestAdmin & {
  eventStoreUrl: string;
  databaseUrl: string;
  /** The receipt files that the console reads, by key. */
  receipts: Map<string, Uint8Array>;
  visitor(token?: string): Promise<Visitor>;
  /** Another instance of the service on the same stores. */
  startInstance(more?: Partial<AdminDependencies>): Promise<TestAdmin>;
  /** Resolves when the read models have caught up with the log. */
  waitForReadModels(): Promise<void>;
};

/** The admin service on its own log and read models; `stop` stops all of them. */
export async function startConsole(more: Partial<AdminDependencies> = {}): Promise<TestConsole> {
  const log = await startOwnLog();
  const database = await createDatabase();
  const receipts = new Map<string, Uint8Array>();
  const urls = { eventStoreUrl: log.url, databaseUrl: database.url };
  const admin = await startAdmin(urls, {
    receipts: { get: async (key) => receipts.get(key), list: async () => [] },
    ...more,
  });
  await migrateWebhooks(admin.db);
  await migrateConsole(admin.db);
  const db = connectDatabase<unknown>(database.url, {
    applicationName: 'projections-test',
    maxConnections: 12,
  });
  const projections = startProjections({
    db,
    store: admin.store,
    logger,
    // Tests wait for each change, so a longer pause would only delay them.
    batchPauseMs: 20,
  });
  const isCaughtUp = async () => {
    const all = await listProjections(admin.db, admin.store).catch(() => undefined);
    return all?.every(({ status, lag_events: lag }) => status === 'live' && lag === 0) ?? false;
  };
  const newestPositions = followPositions(admin.store);
  const test: TestConsole = {
    ...admin,
    ...urls,
    receipts,
    visitor: async (token) => {
      const visitor = visitorAt(admin.port);
      if (token !== undefined) expect((await visitor.signIn(token)).status).toBe(303);
      return visitor;
    },
    startInstance: (changes) => startAdmin(urls, changes),
    waitForReadModels: async () => {
      const newest = await newestPositions();
      const haveRead = () => {
        const workers = projections.statuses();
        return workers.length > 0 && workers.every((worker) => hasRead(worker, newest));
      };
      // `listProjections` reads the log for each read model, so polling it would slow them down.
      await eventually(
        'the read models have caught up',
        async () => haveRead() && (await isCaughtUp()),
      );
    },
    stop: async () => {
      await projections.stop();
      await db.destroy();
      await admin.stop();
      await log.stop();
      await database.drop();
    },
  };
  await test.waitForReadModels();
  return test;
}

/** The same, for a test file. */
export const useConsole = (more: Partial<AdminDependencies> = {}): TestConsole =>
  forFile(() => startConsole(more));

/** The newest position of each stream. */
type Positions = ReadonlyMap<string, bigint>;

/** Reads the events for the read models up to the end of the log, each time only the new ones. */
function followPositions(store: EventStore): () => Promise<Positions> {
  const newest = new Map<string, bigint>();
  const streamPrefixes = [...new Set(readModels.flatMap((model) => model.streamPrefixes))];
  let after: bigint | undefined;
  return async () => {
    const signal = AbortSignal.timeout(waitLimitMs);
    const rest = { ...(after !== undefined && { after }), filter: { streamPrefixes } };
    for await (const batch of store.subscribe({ ...rest, dedicated: true, signal })) {
      for (const item of batch) {
        if (item.kind === 'caught_up') return newest;
        if (item.kind === 'event') newest.set(item.event.stream, item.event.position);
        after = item.kind === 'event' ? item.event.position : item.position;
      }
    }
    throw signal.reason;
  };
}

const hasRead = ({ state, position = -1n, streamPrefixes }: WorkerStatus, newest: Positions) =>
  state === 'live' &&
  [...newest].every(
    ([stream, at]) => at <= position || !streamPrefixes.some((each) => stream.startsWith(each)),
  );

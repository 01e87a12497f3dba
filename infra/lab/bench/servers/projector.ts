import { EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { ledgerReadModel } from '#projections/ledger/read-model.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { liveSchema } from '#projections/read-model.ts';
import { runnerMigrations } from '#projections/runner/migrations.ts';
import { startProjections } from '#projections/start.ts';
import { appendLedgers, appendHistories } from '#projections/testing/append.ts';
import { busyLedger } from '#projections/testing/ledger-histories.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { timed } from '#infra/lab/load/loops.ts';
import { variable } from '#infra/lab/targets/serve.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';

// Reads a log to its end with the official client, or projects it into a read model, on request:
// operations, or as many entries in the ledger of one busy shop.
const store = connectEventStore(variable('EVENT_STORE_URL'));
const client = EventStoreDBClient.connectionString(variable('EVENT_STORE_URL'));
const db = connectDatabase<unknown>(variable('DATABASE_URL'), {
  applicationName: 'bench',
  maxConnections: 12,
});
await migrate(db, runnerMigrations);
const models = { operations: operationsReadModel, ledger: ledgerReadModel };
type ModelName = keyof typeof models;

export type ProjectorOrder =
  | { order: 'prepare'; operations: number }
  | { order: 'read' | 'project'; model: ModelName };

/** By read model: its number of events, and the position of the last one. */
const logs: Record<ModelName, { events: number; end: bigint }> = {
  operations: { events: 0, end: 0n },
  ledger: { events: 0, end: 0n },
};

async function prepare(operations: number): Promise<{ entries: number }> {
  const histories = Array.from({ length: operations }, (_, index) =>
    paidHistory({ operationId: newId(), merchantOperationId: `order-${index}` }),
  );
  const events = histories.reduce((sum, history) => sum + history.events.length, 0);
  logs.operations = { events, end: await appendHistories(store, histories) };
  const ledger = busyLedger('shop-1', events);
  const end = await appendLedgers(store, [ledger], { perWrite: 300 });
  logs.ledger = { events: ledger.entries.length, end };
  return { entries: ledger.entries.length };
}

/** @returns how many events there are */
async function read(name: ModelName): Promise<number> {
  const prefixes = [...models[name].streamPrefixes];
  const filter = streamNameFilter({ prefixes, checkpointInterval: 1 });
  const { events } = logs[name];
  let left = events;
  for await (const { event } of client.subscribeToAll({ filter })) {
    if (event) left -= 1;
    if (left === 0) break;
  }
  return events;
}

/** @returns how many events there are */
async function project(name: ModelName): Promise<number> {
  await sql`drop schema if exists gateway cascade`.execute(db);
  await sql`delete from projections.status where schema = ${liveSchema}`.execute(db);
  const { events, end } = logs[name];
  const logger = createLogger('bench', 'warn');
  const projections = startProjections({ db, store, logger, models: [models[name]] });
  const deadline = performance.now() + 120_000;
  while ((projections.statuses()[0]?.position ?? 0n) < end) {
    if (performance.now() > deadline)
      throw new Error(projections.notReady() ?? 'not caught up in time');
    await delay(5);
  }
  await projections.stop();
  return events;
}

serveOrders((order: ProjectorOrder) => {
  if (order.order === 'prepare') return prepare(order.operations);
  return timed(() => (order.order === 'read' ? read : project)(order.model));
});

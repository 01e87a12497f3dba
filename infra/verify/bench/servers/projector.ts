import { EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { liveSchema } from '#projections/read-model.ts';
import { runnerMigrations } from '#projections/runner/migrations.ts';
import { startProjections } from '#projections/start.ts';
import { appendHistories } from '#projections/testing/append.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { connectEventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import type { Load } from '#infra/verify/load/loops.ts';
import { createPlainApp, listenOnPort, variable } from '#infra/verify/stack/serve.ts';

/** Reads a log to its end with the official client, and projects it into operations, each as often as it is asked to. */
const store = connectEventStore(variable('EVENT_STORE_URL'));
const client = EventStoreDBClient.connectionString(variable('EVENT_STORE_URL'));
const db = connectDatabase<unknown>(variable('DATABASE_URL'), { applicationName: 'bench' });
await migrate(db, runnerMigrations);
const { streamPrefixes } = operationsReadModel;
let end = 0n;
let events = 0;

const app = createPlainApp();

app.post('/prepare', async (c) => {
  const { operations } = await c.req.json<{ operations: number }>();
  const histories = Array.from({ length: operations }, (_, index) =>
    paidHistory({ operationId: newId(), merchantOperationId: `order-${index}` }),
  );
  end = await appendHistories(store, histories);
  events = histories.reduce((sum, history) => sum + history.events.length, 0);
  return c.json({ events });
});

app.post('/read', async (c) => c.json(await timed(read)));
app.post('/project', async (c) => c.json(await timed(project)));

async function read(): Promise<void> {
  const filter = streamNameFilter({ prefixes: [...streamPrefixes], checkpointInterval: 1 });
  let left = events;
  for await (const { event } of client.subscribeToAll({ filter })) {
    if (event) left -= 1;
    if (left === 0) return;
  }
}

async function project(): Promise<void> {
  await sql`drop schema if exists gateway cascade`.execute(db);
  await sql`delete from projections.status where schema = ${liveSchema}`.execute(db);
  const logger = createLogger('bench', 'warn');
  const projections = startProjections({ db, store, logger, models: [operationsReadModel] });
  const deadline = performance.now() + 120_000;
  while ((projections.statuses()[0]?.position ?? 0n) < end) {
    if (performance.now() > deadline) throw new Error(projections.notReady() ?? 'not caught up in time');
    await delay(5);
  }
  await projections.stop();
}

async function timed(work: () => Promise<void>): Promise<Load> {
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  return { operations: events, seconds, p50Ms: 0, p95Ms: 0, p99Ms: 0 };
}

listenOnPort(app);

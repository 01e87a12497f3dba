import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedStores } from '#infra/testing/embedded-stores.ts';
import { connectDatabase } from '#shared/database/connect.ts';
import { migrate } from '#shared/database/migrate.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { connectEventStore, type EventStore } from '#shared/event-store/index.ts';
import { newId } from '#shared/ids.ts';
import { createLogger } from '#shared/logger.ts';
import { operationsReadModel } from './operations/read-model.ts';
import { liveSchema } from './read-model.ts';
import { runnerMigrations } from './runner/migrations.ts';
import { startProjections } from './start.ts';
import { appendHistories } from './testing/append.ts';

/**
 * Projected events a second while catching up, beside a bare read of the same log, in turn:
 * `node projections/bench.ts [operations] [rounds]`. Starts stores of its own.
 */
const operations = Number(process.argv[2] ?? 5_000);
const rounds = Number(process.argv[3] ?? 3);
let batches = 0;
const logger = createLogger('bench', 'warn');

const stores = await startEmbeddedStores(['event-store', 'postgres']);
const store = connectEventStore(stores.urls['event-store'] ?? '');
const db = connectDatabase<unknown>(stores.urls.postgres ?? '', { applicationName: 'bench' });
try {
  await migrate(db, runnerMigrations);
  const histories = Array.from({ length: operations }, (_, index) =>
    paidHistory({ operationId: newId(), merchantOperationId: `order-${index}` }),
  );
  const events = histories.reduce((sum, history) => sum + history.events.length, 0);
  const end = await appendHistories(store, histories);
  process.stdout.write(`${operations} operations, ${events} events\n`);
  for (let round = 1; round <= rounds; round += 1) {
    const read = await timed(() => bareRead(store));
    const projected = await timed(() => project(end));
    const [readRate, rate] = [events / read.seconds, events / projected.seconds];
    process.stdout.write(
      `round ${round}: read ${Math.round(readRate)}/s (CPU ${Math.round((read.cpuMs * 1000) / events)} µs), projected ${Math.round(rate)}/s ` +
        `(${(rate / readRate).toFixed(2)}), CPU of this process ${Math.round((projected.cpuMs * 1000) / events)} µs an event, ${Math.round(events / batches)} events a transaction\n`,
    );
  }
} finally {
  await db.destroy();
  await store.close();
  await stores.stop();
}

async function bareRead(log: EventStore): Promise<void> {
  const filter = { streamPrefixes: operationsReadModel.streamPrefixes };
  for await (const batch of log.subscribe({ filter, maxBatch: 1_000, signal: AbortSignal.timeout(60_000) })) {
    if (batch.some((item) => item.kind === 'caught_up')) return;
  }
}

async function project(until: bigint): Promise<void> {
  await sql`drop schema if exists gateway cascade`.execute(db);
  await sql`delete from projections.status where schema = ${liveSchema}`.execute(db);
  const projections = startProjections({ db, store, logger, models: [operationsReadModel] });
  const deadline = performance.now() + 120_000;
  while ((projections.statuses()[0]?.position ?? 0n) < until) {
    if (performance.now() > deadline) throw new Error(projections.notReady() ?? 'not caught up in time');
    await delay(5);
  }
  const [status] = projections.statuses();
  batches = status?.batches ?? 0;
  await projections.stop();
}

async function timed(work: () => Promise<void>) {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - startedAt) / 1000, cpuMs: (user + system) / 1000 };
}

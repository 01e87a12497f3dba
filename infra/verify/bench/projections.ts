import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedStores } from '#infra/verify/harness/embedded-stores.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { connectEventStore, type EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { ledgerReadModel } from '#projections/ledger/read-model.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { liveSchema, type ReadModel } from '#projections/read-model.ts';
import { runnerMigrations } from '#projections/runner/migrations.ts';
import { startProjections } from '#projections/start.ts';
import { appendBooks, appendHistories } from '#projections/testing/append.ts';
import { busyBooks } from '#projections/testing/ledger-histories.ts';

/**
 * Projected events a second while catching up, beside a bare read of the same events, in turn:
 * `node infra/verify/bench/projections.ts [operations] [rounds]`. Payments in four events each, then as many entries in the ledger of
 * one busy shop. Starts stores of its own.
 */
const operations = Number(process.argv[2] ?? 5_000);
const rounds = Number(process.argv[3] ?? 3);
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
  const books = busyBooks('shop-1', events);
  const ends = [
    { model: operationsReadModel, events, end: await appendHistories(store, histories) },
    {
      model: ledgerReadModel,
      events: books.entries.length,
      end: await appendBooks(store, [books], { perWrite: 300 }),
    },
  ];
  for (const each of ends) {
    process.stdout.write(`${each.model.name}: ${each.events} events\n`);
    for (let round = 1; round <= rounds; round += 1) process.stdout.write(await measure(round, each));
  }
} finally {
  await db.destroy();
  await store.close();
  await stores.stop();
}

type Log = { model: ReadModel; events: number; end: bigint };

async function measure(round: number, log: Log): Promise<string> {
  const read = await timed(() => bareRead(store, log.model));
  const projected = await timed(() => project(log));
  const perEvent = (ms: number) => Math.round((ms * 1000) / log.events);
  const [readRate, rate] = [log.events / read.seconds, log.events / projected.seconds];
  return (
    `round ${round}: read ${Math.round(readRate)}/s (CPU ${perEvent(read.cpuMs)} µs), projected ${Math.round(rate)}/s ` +
    `(${(rate / readRate).toFixed(2)}), CPU of this process ${perEvent(projected.cpuMs)} µs an event, ` +
    `${Math.round(log.events / projected.result)} events a transaction\n`
  );
}

async function bareRead(log: EventStore, { streamPrefixes }: ReadModel): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for await (const batch of log.subscribe({ filter: { streamPrefixes }, maxBatch: 1_000, signal })) {
    if (batch.some((item) => item.kind === 'caught_up')) return;
  }
}

/** @returns how many transactions it took */
async function project({ model, end }: Log): Promise<number> {
  await sql`drop schema if exists gateway cascade`.execute(db);
  await sql`delete from projections.status where schema = ${liveSchema}`.execute(db);
  const projections = startProjections({ db, store, logger, models: [model] });
  const deadline = performance.now() + 120_000;
  while ((projections.statuses()[0]?.position ?? 0n) < end) {
    if (performance.now() > deadline) throw new Error(projections.notReady() ?? 'not caught up in time');
    await delay(5);
  }
  const batches = projections.statuses()[0]?.batches ?? 0;
  await projections.stop();
  return batches;
}

async function timed<T>(work: () => Promise<T>) {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, seconds: (performance.now() - startedAt) / 1000, cpuMs: (user + system) / 1000 };
}

import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { startStoreProcess } from '#infra/verify/harness/stores/event-store-process.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { checkpointAfter } from '#shared/platform/event-store/index.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { liveSchema } from '../read-model.ts';
import { appendHistories } from '../testing/append.ts';
import { expectRowsToEqualFold } from '../testing/expect-fold.ts';
import {
  hasReached,
  statusOf,
  untilState,
  useDb,
  useOwnEventStore,
  useProjections,
  type TestDatabase,
} from '../testing/stores.ts';
import { applyEvents } from './apply.ts';
import { CheckpointMoved, readCheckpoint } from './checkpoint.ts';
import { runnerMigrations } from './migrations.ts';
import { prepareTables } from './prepare.ts';
import { startProjectionWorker } from './worker.ts';

const target = { model: operationsReadModel, schema: liveSchema };
const models = [operationsReadModel];

describe('the runner', () => {
  const own = useOwnEventStore();
  const histories = sampleHistories(300, 11);
  let end: Promise<bigint> | undefined;
  /** The log that all tests of this file follow. */
  const logEnd = () => (end ??= appendHistories(own.store, histories));

  const appliedEvents = async (db: TestDatabase['db']) => Number((await statusOf(db))?.events ?? 0);

  it('applies every event once with two concurrent workers (R17.10)', async () => {
    const last = await logEnd();
    const { db } = await useDb();
    const options = { db, store: own.store, models, exclusive: false, maxBatch: 10 };
    const workers = [useProjections(options), useProjections(options)];
    await eventually('caught up', () => hasReached(db, last));
    const statuses = workers.flatMap((each) => each.statuses());
    // The workers did conflict, and neither met an unexpected row.
    expect(statuses.reduce((sum, { conflicts }) => sum + conflicts, 0)).toBeGreaterThan(0);
    expect(statuses.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    const events = histories.reduce((sum, history) => sum + history.events.length, 0);
    expect(await appliedEvents(db)).toBe(events);
    await expectRowsToEqualFold(db, own.store, histories);
  });

  it('runs one worker, and another one takes over when it stops', async () => {
    const last = await logEnd();
    const { db } = await useDb();
    const options = { db, store: own.store, models };
    const first = useProjections(options);
    await untilState(first, 'live');
    const second = useProjections(options);
    await untilState(second, 'standby');
    expect(second.notReady()).toBeUndefined();
    await first.stop();
    await untilState(second, 'live');
    expect(await hasReached(db, last)).toBe(true);
  });

  it('ends when it is stopped before its session has begun', async () => {
    const { db } = await useDb();
    await migrate(db, runnerMigrations);
    const worker = startProjectionWorker({
      db,
      store: own.store,
      guard: guardCheckpoints({ logger }),
      target,
      logger,
      rebuild: () => Promise.reject(new Error('nothing to rebuild')),
    });
    await worker.stop();
    const { rows: locks } = await sql`
      select objid from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = current_database()`.execute(db);
    expect(locks).toEqual([]);
  });

  it('neither loses nor repeats events when its process is killed while catching up', async () => {
    const last = await logEnd();
    const { db, url } = await useDb();
    let before = 0;
    for (let round = 0; round < 2; round += 1) {
      expect(await signalOfWorker({ EVENT_STORE_URL: own.log.url, DATABASE_URL: url })).toBe(
        'SIGKILL',
      );
      expect(await hasReached(db, last)).toBe(false);
      const applied = await appliedEvents(db);
      expect(applied).toBeGreaterThan(before);
      before = applied;
    }
    useProjections({ db, store: own.store, models });
    await eventually('caught up', () => hasReached(db, last));
    await expectRowsToEqualFold(db, own.store, histories);
  });

  it('continues when PostgreSQL terminates its connections, busy or idle', async () => {
    const last = await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models, maxBatch: 10 });
    const cut = () =>
      sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
    for (let round = 0; round < 3; round += 1) {
      const before = await appliedEvents(db);
      await eventually('some events are applied', async () => (await appliedEvents(db)) > before);
      await cut();
    }
    await eventually('caught up', () => hasReached(db, last));
    await untilState(projections, 'live');
    await cut();
    const more = sampleHistories(20, 12);
    const newEnd = await appendHistories(own.store, more);
    await eventually('caught up again', () => hasReached(db, newEnd));
    histories.push(...more);
    end = Promise.resolve(newEnd);
    await expectRowsToEqualFold(db, own.store, histories);
    expect(projections.notReady()).toBeUndefined();
  });

  it('writes the rows and the checkpoint in one transaction', async () => {
    const { db } = await useDb();
    await migrate(db, runnerMigrations);
    await prepareTables(db, target, { logger });
    await logEnd();
    const events = await own.store.read(operationStream(histories[0]?.create.operationId ?? ''));
    const to = checkpointAfter(events.map((event) => ({ kind: 'event', event }))) ?? {
      position: 0n,
    };
    const failing = {
      ...target,
      model: {
        ...operationsReadModel,
        apply: async (batch: Parameters<typeof operationsReadModel.apply>[0]) => {
          await operationsReadModel.apply(batch);
          throw new Error('the process dies here');
        },
      },
    };
    const step = { from: undefined, events, to, onMoved: () => undefined };
    await expect(applyEvents(db, failing, step)).rejects.toThrow('dies here');
    expect((await readCheckpoint(db, target))?.at).toBeUndefined();
    expect((await sql`select 1 from gateway.operations`.execute(db)).rows).toEqual([]);

    await applyEvents(db, target, step);
    await expect(applyEvents(db, target, step)).rejects.toThrow(CheckpointMoved);
    // A worker without its checkpoint finds rows that already have the events.
    await sql`update projections.status set position = null`.execute(db);
    await applyEvents(db, target, step);
    expect((await sql`select 1 from gateway.operations`.execute(db)).rows).toHaveLength(1);
  });

  it('continues after the event store is killed and restarted', async () => {
    const folder = useTempFolder();
    let node = await startStoreProcess({ directory: folder });
    const { port, url } = node;
    const store = connectEventStore(url);
    onTestFinished(async () => {
      await store.close();
      await node.stop('SIGKILL');
    });
    const { db } = await useDb();
    const first = sampleHistories(20, 13);
    const before = await appendHistories(store, first);
    const projections = useProjections({ db, store, models });
    await eventually('caught up', () => hasReached(db, before));
    await node.stop('SIGKILL');
    node = await startStoreProcess({ directory: folder, port });
    const more = sampleHistories(20, 14);
    const after = await appendHistories(store, more);
    await eventually('caught up again', () => hasReached(db, after));
    await expectRowsToEqualFold(db, store, [...first, ...more]);
    expect(projections.notReady()).toBeUndefined();
  });
});

/** Runs a worker that kills itself; returns the signal that ended it. */
async function signalOfWorker(env: Record<string, string>): Promise<NodeJS.Signals | null> {
  const main = fileURLToPath(new URL('../testing/worker-process.ts', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal;
}

import { sql, type Kysely } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { UnreadableEvent } from '#shared/domain/decode.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import {
  createSweepCheckpoints,
  migrateSweepCheckpoints,
  type SweepCheckpoints,
  type SweepCheckpointsDatabase,
} from './sweep-checkpoints.ts';
import { sweepUnfinished, type SweepTask } from './sweeper.ts';

// Separate logs, because only these tests leave open work in them.
const own = useOwnEventStore();
const other = useOwnEventStore();
let db: Kysely<SweepCheckpointsDatabase>;
let checkpoints: SweepCheckpoints;
beforeAll(async () => {
  const options = { applicationName: 'test', silenceMs: 35_000 };
  db = connectDatabase<SweepCheckpointsDatabase>(inject('databaseUrl'), options);
  await migrateSweepCheckpoints(db);
  checkpoints = createSweepCheckpoints(db, Promise.resolve());
});
afterAll(() => db.destroy());

async function write(to: EventStore, stream: string, ...types: string[]): Promise<void> {
  const count = (await to.read(stream)).length;
  const events = types.map((type) => newEvent({ type }));
  const appended = await to.append({ stream, expectedRevision: count - 1, events });
  expect(appended.outcome).toBe('appended');
}

/**
 * Sweeps streams with a `Begun` and no `Ended`, until a checkpoint at `until` is saved.
 * @returns the events that were read, and the open streams at the first sweep
 */
async function start(
  prefix: string,
  { log = own.store, checkpointStore = checkpoints, until = 0n } = {},
) {
  const stopped = new AbortController();
  const open = new Set<string>();
  const seen: string[] = [];
  let afterSweep: readonly string[] | undefined;
  const running = sweepUnfinished({
    store: log,
    logger,
    guard: guardCheckpoints({ logger }),
    signal: stopped.signal,
    saveCheckpointEveryMs: 20,
    checkpoints: {
      ...checkpointStore,
      keep: async (of, checkpoint) => {
        await checkpointStore.keep(of, checkpoint);
        if (checkpoint.position >= until) stopped.abort();
      },
    },
    tasks: [
      {
        name: 'work',
        streamPrefix: prefix,
        everyMs: 20,
        collect: ({ stream, type }) => {
          seen.push(`${stream.slice(prefix.length)} ${type}`);
          if (type === 'FromAnotherVersion') throw new UnreadableEvent(type);
          if (type === 'Begun') open.add(stream);
          else open.delete(stream);
        },
        isOpen: (stream) => open.has(stream),
        sweep: async () => {
          afterSweep ??= [...open].map((stream) => stream.slice(prefix.length));
        },
      },
    ],
  });
  await running;
  return { seen, open: afterSweep };
}

test('resumes after finished work, and does not read it again', async () => {
  await write(own.store, 'work1-a', 'Begun', 'Ended');
  const until = await own.store.head();
  // Without matching events, the position advances only once per page of the log.
  for (let page = 0; page < 3; page += 1)
    await write(own.store, `operation-${page}`, ...Array.from({ length: 1_000 }, () => 'Other'));
  expect(await start('work1-', { until })).toEqual({ seen: ['a Begun', 'a Ended'], open: [] });
  expect((await checkpoints.find('work1-'))?.position).toBeGreaterThanOrEqual(until);
  expect(await start('work1-')).toEqual({ seen: [], open: [] });

  await write(own.store, 'work1-b', 'Begun', 'Ended');
  expect(await start('work1-')).toEqual({ seen: ['b Begun', 'b Ended'], open: [] });
});

test('reads open work in every process until it has ended', async () => {
  await write(own.store, 'work2-a', 'Begun', 'Ended');
  await write(own.store, 'work2-b', 'Begun');
  await write(own.store, 'work2-c', 'Begun', 'Ended');
  const first = await start('work2-');
  expect(first.open).toEqual(['b']);
  for (let round = 0; round < 2; round += 1)
    expect(await start('work2-')).toEqual({ seen: ['b Begun', 'c Begun', 'c Ended'], open: ['b'] });
  await write(own.store, 'work2-b', 'Ended');
  await start('work2-');
  expect(await start('work2-')).toEqual({ seen: [], open: [] });
});

test('leaves an unreadable event for a version that can read it', async () => {
  await write(own.store, 'work5-a', 'Begun', 'Ended');
  await write(own.store, 'work5-b', 'FromAnotherVersion');
  await write(own.store, 'work5-c', 'Begun', 'Ended');
  await start('work5-');
  for (let round = 0; round < 2; round += 1)
    expect((await start('work5-')).seen).toEqual(['b FromAnotherVersion', 'c Begun', 'c Ended']);
});

test('ignores a checkpoint of another log, or beyond the end of this one', async () => {
  await write(own.store, 'work3-a', 'Begun', 'Ended');
  await start('work3-');
  await write(other.store, 'work3-z', 'Begun', 'Ended');
  expect((await start('work3-', { log: other.store })).seen).toEqual(['z Begun', 'z Ended']);

  const checkpoint = await checkpoints.find('work3-');
  const beyond = { ...checkpoint, position: 9_000_000_000n };
  const checkpointStore = { ...checkpoints, find: async () => beyond };
  expect((await start('work3-', { log: other.store, checkpointStore })).seen).toHaveLength(2);
});

test('ignores the position of a log that this one was copied from (R17.14)', async () => {
  await write(own.store, 'work7-a', 'Begun', 'Ended');
  await start('work7-');
  const saved = await checkpoints.find('work7-');
  if (!saved?.event?.position) throw new Error('the checkpoint has no event');
  const elsewhere = saved.position + 1n;
  await checkpoints.keep('work7-', {
    position: elsewhere,
    event: { ...saved.event, position: elsewhere },
  });
  await write(own.store, 'work7-b', 'Begun', 'Ended');
  const { seen } = await start('work7-');
  expect(seen).toEqual(['a Begun', 'a Ended', 'b Begun', 'b Ended']);
});

test('saves checkpoints together with the version before, which names its event otherwise', async () => {
  const position = 5n;
  const event = { stream: 'work8-a', revision: 0, id: 'id', position };
  const keepBefore = sql`
    insert into admin.mark (prefix, position, newest) values ('work8-', 4, ${'{"stream":"a"}'}::jsonb)
    on conflict (prefix) do update set position = excluded.position, newest = excluded.newest`;
  await keepBefore.execute(db);
  // It is of an unknown log.
  expect(await checkpoints.find('work8-')).toBeUndefined();
  await checkpoints.keep('work8-', { position, event });
  expect(await checkpoints.find('work8-')).toEqual({ position, event });
  await keepBefore.execute(db);
  expect(await checkpoints.find('work8-')).toEqual({ position: 4n, event });
});

test('reads the whole log when the database is unavailable', async () => {
  await write(own.store, 'work4-a', 'Begun', 'Ended');
  const unavailable = createSweepCheckpoints(db, Promise.reject(new Error('no database')));
  const checkpointStore = { ...unavailable, keep: checkpoints.keep };
  expect((await start('work4-', { checkpointStore })).seen).toHaveLength(2);
});

test('runs a task while another one hangs', async () => {
  await write(own.store, 'work6-a', 'Begun');
  const stopped = new AbortController();
  const task = (name: string, sweep: () => Promise<void>): SweepTask => ({
    name,
    streamPrefix: 'work6-',
    everyMs: 20,
    collect: () => undefined,
    isOpen: () => false,
    sweep,
  });
  const { promise: hanging, resolve: release } = Promise.withResolvers<void>();
  const swept = { hung: 0, other: 0 };
  const { promise: enough, resolve: sweptOften } = Promise.withResolvers<void>();
  const tasks = [
    task('hung', async () => {
      swept.hung += 1;
      await hanging;
    }),
    task('other', async () => {
      swept.other += 1;
      if (swept.other >= 3 && swept.hung > 0) sweptOften();
    }),
  ];
  const running = sweepUnfinished({
    store: own.store,
    logger,
    guard: guardCheckpoints({ logger }),
    signal: stopped.signal,
    tasks,
  });
  await enough;
  expect(swept.hung).toBe(1);
  stopped.abort();
  release();
  await running;
});

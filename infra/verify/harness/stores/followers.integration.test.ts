import { connect } from 'nats';
import { sql, type Kysely } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { useStore } from './store.ts';
import { startLogFollowers } from './log-followers.ts';
import { startOwnStore } from '#infra/event-store-node/conformance/support/own-store.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { appendHistories } from '#projections/testing/append.ts';
import { sweepUnfinished } from '#services/back-office/api/sweeper.ts';
import { mayRequireWebhook } from '#services/webhooks/relay/events-requiring-webhooks.ts';
import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLogger, type Logger } from '#shared/platform/logging/logger.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import { useDatabase } from './database.ts';

type Line = { level: string; msg: string };

function useLogger(): { logger: Logger; lines: Line[]; of(level: string): string[] } {
  const lines: Line[] = [];
  const write = (text: string) => void lines.push(JSON.parse(text) as Line);
  const of = (level: string) => lines.filter((line) => line.level === level).map(({ msg }) => msg);
  return { logger: createLogger('followers', 'info', { write }), lines, of };
}

type Following = {
  seen: StoredEvent[];
  reached(last: bigint): Promise<boolean>;
  published(): Promise<number>;
};

/**
 * The followers of the log with their state: read models, due work, webhooks, and the sweep of
 * unfinished commands.
 */
async function startFollowers(url: string, logger: Logger): Promise<Following> {
  const store = useStore(url, { logger });
  const stopped = new AbortController();
  const { signal } = stopped;
  const suffix = newId().slice(0, 8);
  const stream = `events_${suffix}`;
  const nats = await connect(natsConnectionOptions(inject('natsUrl')));
  const followers = startLogFollowers({
    store,
    databaseUrl: await useDatabase(),
    logger,
    names: { stream, subject: `test.${suffix}.operation` },
    parts: ['relay'],
  });
  const seen: StoredEvent[] = [];
  const task = {
    name: 'operations',
    streamPrefix: 'operation-',
    everyMs: 100,
    collect: (event: StoredEvent) => void seen.push(event),
    isOpen: () => false,
    sweep: async () => undefined,
  };
  const open = sweepUnfinished({
    store,
    logger,
    guard: guardCheckpoints({ logger }),
    signal,
    tasks: [task],
  });
  onTestFinished(async () => {
    stopped.abort();
    await Promise.all([open, followers.stop()]);
    const manager = await nats.jetstreamManager();
    await manager.streams.delete(stream).catch(() => undefined);
    await nats.close();
  });
  const isLive = () => Object.values(followers.notReady()).every((reason) => reason === undefined);
  await eventually('all follow', isLive);
  return {
    seen,
    reached: async (last) => (await positions(followers.db)).every((position) => position >= last),
    published: async () =>
      (await (await nats.jetstreamManager()).streams.info(stream)).state.messages,
  };
}

/** The positions of the two followers whose checkpoint passes every event of an operation. */
async function positions(db: Kysely<unknown>): Promise<bigint[]> {
  const { rows } = await sql<{ position: string | null }>`
    select position::text from projections.status where name = 'operations'
    union all select position::text from processor.feed`.execute(db);
  return rows.length < 2 ? [0n] : rows.map(({ position }) => BigInt(position ?? 0));
}

async function expectWhole(following: Following, store: EventStore, last: bigint): Promise<void> {
  const { events } = await store.readLog({ after: 0n, maxCount: 10_000 });
  const ofOperations = events.flatMap(({ stream, read }) =>
    stream.startsWith('operation-') ? read() : [],
  );
  const withWebhook = ofOperations.filter(mayRequireWebhook).length;
  await eventually('all is taken', () => following.reached(last));
  await eventually('all is seen', () => following.seen.length >= ofOperations.length);
  await eventually('all is published', async () => (await following.published()) >= withWebhook);
  // Each once, in the order of the log.
  expect(following.seen.map(({ id }) => id)).toEqual(ofOperations.map(({ id }) => id));
  expect(await following.published()).toBe(withWebhook);
}

describe('the followers of the log', () => {
  it('resume immediately after the store drops them as too slow, and log it once', async () => {
    const { url } = await startOwnStore({ maxEventsBehind: 32 });
    const { logger, lines, of } = useLogger();
    const following = await startFollowers(url, logger);
    const store = useStore(url);
    let last = 0n;
    for (let burst = 1; burst <= 5; burst += 1)
      last = await appendHistories(store, sampleHistories(80, burst));
    await expectWhole(following, store, last);
    expect(of('warn')).toEqual([]);
    expect(lines.filter(({ msg }) => msg.includes('too slow'))).toEqual([
      expect.objectContaining({ level: 'info', times: 1 }),
    ]);
  });

  it('log an outage of the store and its end once per connection', async () => {
    const own = await startOwnStore();
    const { logger, of } = useLogger();
    const following = await startFollowers(own.url, logger);
    const store = useStore(own.url);
    await appendHistories(store, sampleHistories(40, 6));
    const requesting = new AbortController();
    const requestStore = useStore(own.url, { logger });
    // Before its first response a store is starting, which is no outage.
    await requestStore.read('operation-nobody');
    let failures = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (!requesting.signal.aborted)
        await requestStore.read('operation-nobody', { deadlineMs: 100 }).catch((error: unknown) => {
          failures += 1;
          logger.warn({ err: error }, 'a request could not be answered');
        });
    });
    await own.stop('SIGKILL');
    await eventually('many have met it', () => failures > 100);
    // Their short deadlines would fail on a busy machine after the restart, too.
    requesting.abort();
    await Promise.all(callers);
    await own.start();
    const last = await appendHistories(store, sampleHistories(40, 7));
    await expectWhole(following, store, last);
    await Promise.all(Array.from({ length: 8 }, () => requestStore.read('operation-nobody')));
    // The followers and the requests have a connection each, as two services do.
    expect(of('warn').toSorted()).toEqual([
      'the event store is reachable again',
      'the event store is reachable again',
      'the event store is unreachable',
      'the event store is unreachable',
    ]);
  });
});

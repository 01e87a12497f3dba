import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { storedEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { admitted, cancelled } from '#shared/domain/operation/testing/given.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { DueQueue } from './due/due-queue.ts';
import { defaultTimings } from './due/timings.ts';
import { createCalls } from './work/calls.ts';
import { startProcessorWorker } from './worker.ts';

const events = [admitted({ operationId: 'o' }), cancelled];
const stored = toNewEvents(events, { actor: 'service:test', correlationId: 'o' }).map(
  (event, revision) =>
    storedEvent({
      ...event,
      stream: operationStream('o'),
      revision,
      created: new Date('2026-01-31T12:00:00.000Z'),
    }),
);

test('a stream with fewer events than announced is retried, and not forgotten', async () => {
  const stream = operationStream('o');
  const row = {
    stream,
    dueMs: 0,
    lastActivityMs: 0,
    revision: 2,
    pollsWithoutChange: 0,
    tries: 0,
    done: [],
  };
  const queue = new DueQueue([row]);
  let reads = 0;
  const read: EventStore['read'] = async (_stream, { fromRevision = 0 } = {}) => {
    reads += 1;
    await delay(1);
    return stored.slice(fromRevision);
  };
  const stopped = new AbortController();
  const worker = startProcessorWorker({
    queue,
    isCaughtUp: () => true,
    store: { read, recent: () => undefined } as unknown as EventStore,
    providers: new Map(),
    personal: {} as never,
    ledgers: {} as never,
    receipts: {} as never,
    calls: createCalls({ perLane: 1, total: 1 }, () => Date.now()),
    timings: { ...defaultTimings, retryMs: 60_000 },
    logger,
    onStep: () => undefined,
    now: () => Date.now(),
    random: () => 0.5,
    width: 1,
    signal: stopped.signal,
  });
  const changed: unknown[] = [];
  const changes = () => {
    changed.push(...queue.takeChanges().changed);
    return changed;
  };
  await expect.poll(changes).toMatchObject([{ stream, revision: 2, tries: 1 }]);
  stopped.abort();
  await worker.stopped;
  expect(reads).toBe(1);
  expect(changes()).toHaveLength(1);
});

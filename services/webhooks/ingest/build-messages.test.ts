import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { storedEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { accepted, admitted, given, leg, started } from '#shared/domain/operation/testing/given.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { EventPointer } from '../bus.ts';
import { expectedMessages } from '../message.ts';
import { createBuildMessages, createPostedInTime } from './build-messages.ts';

const ids = {
  posted: '00000000-0000-8000-8000-000000000001',
  pending: '00000000-0000-8000-8000-000000000002',
};

const stored = (event: Pick<StoredEvent, 'type' | 'data' | 'stream'>, at: number): StoredEvent =>
  storedEvent({
    ...event,
    metadata: { ...testMetadata, schema_version: newestVersion(event.type) },
    revision: at,
    position: BigInt(at + 1),
    created: new Date('2026-01-31T12:00:00.000Z'),
  });

function completed(operationId: string, shopId = 'shop-1'): StoredEvent[] {
  const open = [admitted(), started(), accepted()].map((event) =>
    event.type === 'OperationAdmitted'
      ? { ...event, data: { ...event.data, operation_id: operationId, shop_id: shopId } }
      : event,
  ) as OperationEvent[];
  const report = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
  const events = [...open, ...applyReport(given(...open).state, report).events];
  return events.map((event, at) => stored({ ...event, stream: operationStream(operationId) }, at));
}

it('records no webhook of a terminal status before its entries are posted, but those of others (R12.12)', async () => {
  const [posted, pending] = [completed(ids.posted), completed(ids.pending)];
  const streams = new Map([posted, pending].map((events) => [events[0]?.stream ?? '', events]));
  const data = { url: 'https://a.example/', enabled: true };
  const configured = {
    ...stored({ type: 'WebhookConfigured', data, stream: 'shop' }, 0),
    position: 0n,
  };
  const store = {
    recent: (stream: string) => streams.get(stream),
    followed: () => [],
    read: async () => [configured],
  } as Pick<EventStore, 'recent' | 'read' | 'followed'> as EventStore;
  const build = createBuildMessages({
    store,
    logger,
    entryPoster: { post: async ({ operationId }) => operationId === ids.posted },
  });
  const pointers = [posted, pending].map((events): EventPointer => {
    const { stream, revision, id } = events.at(-1) as StoredEvent;
    return { stream, revision, eventId: id, position: '0' };
  });
  const { messages, retryMsByStream } = await build(pointers);
  expect(messages.map(({ operationId, type }) => [operationId, type])).toEqual([
    [ids.posted, 'payment.completed'],
  ]);
  expect([...retryMsByStream.keys()]).toEqual([operationStream(ids.pending)]);
});

it('records the webhooks of other shops if the endpoints of one can’t be read', async () => {
  const [readable, broken] = [completed(ids.posted), completed(ids.pending, 'shop-2')];
  const streams = new Map([readable, broken].map((events) => [events[0]?.stream ?? '', events]));
  const data = { url: 'https://a.example/', enabled: true };
  const configured = {
    ...stored({ type: 'WebhookConfigured', data, stream: 'shop' }, 0),
    position: 0n,
  };
  const store = {
    recent: (stream: string) => streams.get(stream),
    followed: () => [],
    read: async (stream: string) => {
      if (stream === shopStream('shop-2')) throw new Error('too long');
      return [configured];
    },
  } as Pick<EventStore, 'recent' | 'read' | 'followed'> as EventStore;
  const build = createBuildMessages({ store, logger, entryPoster: { post: async () => true } });
  const pointers = [broken, readable].map((events): EventPointer => {
    const { stream, revision, id } = events.at(-1) as StoredEvent;
    return { stream, revision, eventId: id, position: '0' };
  });
  const { messages, retryMsByStream } = await build(pointers);
  expect(messages.map(({ operationId }) => operationId)).toEqual([ids.posted]);
  expect([...retryMsByStream.keys()]).toEqual([operationStream(ids.pending)]);
});

it('tries a few terminal statuses of a shop with lagging entries, and all again once they are posted', async () => {
  const ends = Array.from({ length: 20 }, (_, at) =>
    completed(`00000000-0000-8000-8000-${String(at).padStart(12, '0')}`),
  ).map((events) => ({ operation: expectedMessages(events).operation, events }));
  let [posts, answers] = [0, false];
  const postedInTime = createPostedInTime({
    post: async () => {
      posts += 1;
      return answers;
    },
  });
  const tried = async () => {
    posts = 0;
    const posted = await postedInTime(ends);
    return { posts, posted: posted.filter(Boolean).length };
  };
  expect(await tried()).toEqual({ posts: 20, posted: 0 });
  expect(await tried()).toEqual({ posts: 8, posted: 0 });
  answers = true;
  expect(await tried()).toEqual({ posts: 8, posted: 8 });
  expect(await tried()).toEqual({ posts: 20, posted: 20 });
});

it('waits again for a shop whose entries lagged once and are only slow now', async () => {
  const end = (operationId: string) => {
    const events = completed(operationId);
    return { operation: expectedMessages(events).operation, events };
  };
  const [first, second, third] = ['1', '2', '3'].map((digit) =>
    end(`00000000-0000-8000-8000-00000000000${digit}`),
  ) as [ReturnType<typeof end>, ReturnType<typeof end>, ReturnType<typeof end>];
  let takesMs = 1_500;
  const postedInTime = createPostedInTime({ post: () => delay(takesMs, true) });
  expect(await postedInTime([first])).toEqual([false]);
  takesMs = 100;
  expect(await postedInTime([second])).toEqual([false]);
  await delay(300);
  expect(await postedInTime([third])).toEqual([true]);
});

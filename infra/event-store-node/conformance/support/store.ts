import { randomUUID } from 'node:crypto';
import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  type AppendExpectedRevision,
  type AppendResult,
  type EventData,
  type JSONEventData,
} from '@eventstore/db-client';
import { afterAll, inject, onTestFinished } from 'vitest';
import { usesExternalServer } from '#infra/verify/harness/stores/external-store.ts';

/**
 * True when EVENT_STORE_URL or EVENT_STORE_COMMAND names the store under test: it can't be
 * restarted, and may be a real server.
 */
export const isExternal = Boolean(process.env['EVENT_STORE_URL']) || usesExternalServer();

/** Connection string of the store under test. */
export const storeUrl = (): string => inject('eventStoreUrl');

/** A client of the store under test (or of `url`), disposed of when the test ends. */
export const connect = (url = storeUrl()): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  onTestFinished(() => client.dispose());
  return client;
};

/** A client that all tests of a file share; call it once, at the top of the file. */
export const sharedClient = (): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(storeUrl());
  afterAll(() => client.dispose());
  return client;
};

/** A unique stream name. */
export const freshStream = (topic = 'test'): string => `${topic}-${randomUUID()}`;

export type TestEvent = JSONEventData<{ type: string; data: { n: number } }>;

/** One JSON event; the number makes failures readable. */
export const event = (n = 0, type = 'tested'): TestEvent =>
  jsonEvent<{ type: string; data: { n: number } }>({ type, data: { n } });

/** `count` JSON events, numbered from 0. */
export const events = (count: number, type = 'tested'): TestEvent[] =>
  Array.from({ length: count }, (_, n) => event(n, type));

/** A new stream with `count` events. */
export const writtenStream = async (client: EventStoreDBClient, count = 4): Promise<string> => {
  const stream = freshStream();
  await client.appendToStream(stream, events(count), { expectedRevision: NO_STREAM });
  return stream;
};

/**
 * The client sends an append with credentials as a separate call, and every other one in
 * its batch stream.
 */
export const appendPaths = [
  { path: 'batch', via: {} },
  { path: 'unary', via: { credentials: { username: 'admin', password: 'changeit' } } },
] as const;

/** Appends on one of these paths; by default to a stream that does not exist. */
export const appender =
  (client: EventStoreDBClient, via: (typeof appendPaths)[number]['via']) =>
  (
    stream: string,
    of: EventData | EventData[],
    expectedRevision: AppendExpectedRevision = NO_STREAM,
  ): Promise<AppendResult> =>
    client.appendToStream(stream, of, { expectedRevision, ...via });

/** The error of a rejected promise; fails if it was not rejected. */
export const rejection = async (
  promise: Promise<unknown>,
): Promise<Error & Record<string, unknown>> => {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('resolved, though a rejection was expected');
};

/** All items of an async iterable. */
export const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
};

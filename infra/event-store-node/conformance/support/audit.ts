import {
  StreamNotFoundError,
  type AppendExpectedRevision,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { expect } from 'vitest';
import { collect, type TestEvent } from './store.ts';

/** One append, and what its appender knows about it. */
export type AppendAttempt = {
  stream: string;
  expected: AppendExpectedRevision;
  batch: TestEvent[];
  outcome: 'unknown' | { revision: bigint; position: bigint };
};

type LogEntry = { id: string; streamId: string; revision: bigint; position: bigint };

const readAll = async (client: EventStoreDBClient): Promise<LogEntry[]> =>
  (await collect(client.readAll())).flatMap(({ event }) =>
    event
      ? [
          {
            id: event.id,
            streamId: event.streamId,
            revision: event.revision,
            position: event.position.commit,
          },
        ]
      : [],
  );

const readOne = async (client: EventStoreDBClient, stream: string): Promise<LogEntry[]> => {
  try {
    return (await collect(client.readStream(stream))).flatMap(({ event }) =>
      event?.position
        ? [
            {
              id: event.id,
              streamId: event.streamId,
              revision: event.revision,
              position: event.position.commit,
            },
          ]
        : [],
    );
  } catch (error) {
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  }
};

const expectWhole = (attempt: AppendAttempt, byId: Map<string, LogEntry>): void => {
  const stored = attempt.batch.flatMap(({ id }) => byId.get(id) ?? []);
  if (attempt.outcome === 'unknown') {
    expect([0, attempt.batch.length], `torn append to ${attempt.stream}`).toContain(stored.length);
  } else {
    expect(stored, `lost append to ${attempt.stream}`).toHaveLength(attempt.batch.length);
    const last = stored.at(-1);
    expect({ revision: last?.revision, position: last?.position }).toEqual(attempt.outcome);
  }
  const first = stored[0]?.revision ?? 0n;
  expect(stored.map(({ revision }) => revision)).toEqual(stored.map((_, n) => first + BigInt(n)));
};

/**
 * Reads the whole store and compares it with the attempts: acknowledged appends are at the
 * positions of their acknowledgements, no append is torn or doubled, revisions are contiguous,
 * positions ascend, $all is the union of the streams.
 */
export const auditAppends = async (
  client: EventStoreDBClient,
  attempts: AppendAttempt[],
): Promise<void> => {
  const all = await readAll(client);
  const proposed = new Set(attempts.flatMap(({ batch }) => batch.map(({ id }) => id)));
  const mine = all.filter(({ id }) => proposed.has(id));
  const byId = new Map(mine.map((stored) => [stored.id, stored]));
  expect(byId.size, 'an event is stored twice').toBe(mine.length);
  for (const attempt of attempts) expectWhole(attempt, byId);
  expect(all.every(({ position }, n) => n === 0 || position > all[n - 1]!.position)).toBe(true);
  const byStream = Map.groupBy(mine, ({ streamId }) => streamId);
  for (const stream of new Set(attempts.map((attempt) => attempt.stream))) {
    const expected = byStream.get(stream) ?? [];
    expect(await readOne(client, stream)).toEqual(expected);
    expect(expected.map(({ revision }) => revision)).toEqual(expected.map((_, n) => BigInt(n)));
  }
};

import { WrongExpectedVersionError } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { newEvent, storedEvent } from './testing/new-event.ts';
import { appendWithKnownOutcome, type AppendPorts } from './append.ts';
import type { AppendRequest, NewEvent, StoredEvent } from './types.ts';

/** A store with one stream. The script decides whether an append writes and gets a reply. */
function scriptedStore(
  ...script: (
    | 'ok'
    | 'write, then lose the reply'
    | 'lose the request'
    | 'refuse'
    | 'refuse, as the first was written'
    | 'other wins'
  )[]
) {
  const log: StoredEvent[] = [];
  let appends = 0;
  const write = (events: readonly NewEvent[]) => {
    for (const each of events) {
      if (log.some((stored) => stored.id === each.id)) continue;
      log.push(storedEvent({ ...each, revision: log.length }));
    }
  };
  const ports: AppendPorts = {
    append: async ({ events }) => {
      const step = script[appends] ?? 'ok';
      appends += 1;
      if (step === 'other wins') write([newEvent({ id: 'other' })]);
      if (step !== 'lose the request' && step !== 'refuse' && step !== 'other wins') write(events);
      if (step === 'ok') return { revision: log.length - 1, position: BigInt(log.length - 1) };
      if (step.startsWith('refuse')) throw new WrongExpectedVersionError(null as never, refusal);
      throw new Error('connection lost');
    },
    read: async (_stream, { fromRevision = 0, maxCount = 10 }) =>
      log.slice(fromRevision, fromRevision + maxCount),
  };
  return { ports, log, appends: () => appends };
}

const refusal = { streamName: 's', current: 4n, expected: 'no_stream' } as never;
const request = (deadlineMs = 2_000): AppendRequest => ({
  stream: 's',
  expectedRevision: -1,
  events: [newEvent({ id: 'a' }), newEvent({ id: 'b' })],
  deadlineMs,
});

const outcomeOf = (store: ReturnType<typeof scriptedStore>, deadlineMs?: number) =>
  appendWithKnownOutcome(store.ports, request(deadlineMs));

describe('append without a reply', () => {
  it('succeeds if its events are in the stream (R17.2)', async () => {
    const store = scriptedStore('write, then lose the reply');
    expect(await outcomeOf(store)).toEqual({ outcome: 'appended', revision: 1, position: 1n });
    expect(store.appends()).toBe(1);
  });

  it('returns a conflict if another event has the revision', async () => {
    const store = scriptedStore('other wins');
    expect(await outcomeOf(store)).toMatchObject({ outcome: 'conflict' });
    expect(store.log.map(({ id }) => id)).toEqual(['other']);
  });

  it('is retried with the same events if none is in the stream', async () => {
    const store = scriptedStore('lose the request', 'ok');
    expect(await outcomeOf(store)).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(store.log.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('succeeds if a retry gets a wrong expected version because of its own events', async () => {
    const store = scriptedStore('lose the request', 'refuse, as the first was written');
    expect(await outcomeOf(store)).toMatchObject({ outcome: 'appended', revision: 1 });
  });

  it('returns unknown if the deadline passes first (R17.2)', async () => {
    const store = scriptedStore(...Array.from({ length: 50 }, () => 'lose the request' as const));
    expect(await outcomeOf(store, 150)).toMatchObject({ outcome: 'unknown' });
  });
});

it('returns a conflict at once if the first attempt gets a wrong expected version', async () => {
  const store = scriptedStore('refuse');
  const outcome = await outcomeOf(store);
  expect(outcome).toMatchObject({ outcome: 'conflict' });
  expect(store.appends()).toBe(1);
});

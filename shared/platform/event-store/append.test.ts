import { WrongExpectedVersionError } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { appendWithKnownOutcome, type AppendPorts } from './append.ts';
import type { AppendRequest, NewEvent, StoredEvent } from './types.ts';

const event = (id: string): NewEvent => ({
  id,
  type: 'Happened',
  data: {},
  metadata: { correlation_id: 'c', actor: 'service:test', schema_version: 1 },
});

/**
 * A store with one stream, whose appends fail as scripted: each step writes or does not, and
 * answers or does not.
 */
function scriptedStore(
  ...script: (
    | 'ok'
    | 'write, then lose the reply'
    | 'lose the request'
    | 'refuse'
    | 'refuse, as the one before has come'
    | 'other wins'
  )[]
) {
  const log: StoredEvent[] = [];
  let appends = 0;
  const write = (events: readonly NewEvent[]) => {
    for (const each of events) {
      if (log.some((stored) => stored.id === each.id)) continue;
      const revision = log.length;
      log.push({
        ...each,
        stream: 's',
        revision,
        position: BigInt(revision),
        created: new Date(0),
      });
    }
  };
  const ports: AppendPorts = {
    append: async ({ events }) => {
      const step = script[appends] ?? 'ok';
      appends += 1;
      if (step === 'other wins') write([event('other')]);
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
  events: [event('a'), event('b')],
  deadlineMs,
});

describe('an append whose reply was lost', () => {
  it('is a success when the events are there (R17.2)', async () => {
    const store = scriptedStore('write, then lose the reply');
    expect(await appendWithKnownOutcome(store.ports, request())).toEqual({
      outcome: 'appended',
      revision: 1,
      position: 1n,
    });
    expect(store.appends()).toBe(1);
  });

  it('is a conflict when another event stands there', async () => {
    const store = scriptedStore('other wins');
    expect(await appendWithKnownOutcome(store.ports, request())).toMatchObject({
      outcome: 'conflict',
    });
    expect(store.log.map(({ id }) => id)).toEqual(['other']);
  });

  it('is sent again, as the same events, when nothing is there', async () => {
    const store = scriptedStore('lose the request', 'ok');
    expect(await appendWithKnownOutcome(store.ports, request())).toMatchObject({
      outcome: 'appended',
      revision: 1,
    });
    expect(store.log.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('finds its own events behind a wrong expected version of its second try', async () => {
    const store = scriptedStore('lose the request', 'refuse, as the one before has come');
    expect(await appendWithKnownOutcome(store.ports, request())).toMatchObject({
      outcome: 'appended',
      revision: 1,
    });
  });

  it('stays unknown when the deadline comes first, and says so (R17.2)', async () => {
    const store = scriptedStore(...Array.from({ length: 50 }, () => 'lose the request' as const));
    expect(await appendWithKnownOutcome(store.ports, request(150))).toMatchObject({
      outcome: 'unknown',
    });
  });
});

it('a wrong expected version of the first try is a conflict at once', async () => {
  const store = scriptedStore('refuse');
  const outcome = await appendWithKnownOutcome(store.ports, request());
  expect(outcome).toMatchObject({ outcome: 'conflict' });
  expect(store.appends()).toBe(1);
});

import { Metadata } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { isLoggedElsewhere } from '#shared/platform/logging/logged-elsewhere.ts';
import { createOutage } from './outage.ts';
import { asClientError, StoreUnavailable } from './store-unavailable.ts';

function setUp({ answered = true } = {}) {
  const lines: [string, object][] = [];
  let timeMs = 0;
  const log = (facts: object, message: string) => void lines.push([message, facts]);
  const logger = { info: log, warn: log };
  const outage = createOutage(logger as never, { now: () => timeMs });
  if (answered) outage.responded();
  return {
    outage,
    messages: () => lines.map(([message]) => message),
    facts: () => lines.at(-1)?.[1],
    pass: (ms: number) => (timeMs += ms),
  };
}

const serviceError = (code: number, details: string) =>
  Object.assign(new Error(`${code} ${details}`), { code, details, metadata: new Metadata() });
const unavailable = () => Object.assign(new Error('14 UNAVAILABLE: read ECONNRESET'), { code: 14 });

it('logs the start and the end of an outage once, for any number of callers', () => {
  const { outage, messages, facts, pass } = setUp();
  for (let call = 0; call < 1000; call += 1) {
    outage.failed(call % 2 === 0 ? unavailable() : new StoreUnavailable('no response'));
    pass(14);
  }
  expect(messages()).toEqual(['the event store is unreachable']);
  outage.responded();
  outage.responded();
  expect(messages()).toEqual([
    'the event store is unreachable',
    'the event store is reachable again',
  ]);
  expect(facts()).toEqual({ outageMs: 14_000, failures: 1000 });
});

it('waits silently for a store that has not responded yet, and logs it after 10 s', () => {
  const { outage, messages, pass } = setUp({ answered: false });
  for (let second = 0; second < 45; second += 1) {
    outage.failed(unavailable());
    expect(messages()).toHaveLength(second < 10 ? 0 : second < 40 ? 1 : 2);
    pass(1000);
  }
  outage.responded();
  expect(new Set(messages())).toEqual(new Set(['waiting for the event store']));
});

it('logs a lasting outage every 30 s', () => {
  const { outage, messages, pass } = setUp();
  for (let second = 0; second < 70; second += 1) {
    outage.failed(unavailable());
    pass(1000);
  }
  const still = 'the event store is still unreachable';
  expect(messages()).toEqual(['the event store is unreachable', still, still]);
});

it('limits the log lines about a flapping store', () => {
  const { outage, messages, pass } = setUp();
  for (let outageNumber = 0; outageNumber < 100; outageNumber += 1) {
    outage.failed(unavailable());
    pass(50);
    outage.responded();
    pass(50);
  }
  expect(messages().length).toBeLessThanOrEqual(4);
});

it.each([
  ['a success', undefined, true],
  ['a refusal', asClientError(serviceError(5, 'NOT_FOUND')), true],
  ['the end of a slow subscriber', serviceError(10, 'ABORTED: Consumer too slow to handle'), true],
  ['a cancelled call', asClientError(serviceError(1, 'CANCELLED')), false],
  ['an error of the server as it starts', asClientError(serviceError(2, 'UNKNOWN')), false],
  ['a bug', new TypeError('x is not a function'), false],
])('logs the end of an outage only when the store responds: %s', (_, error, isEnd) => {
  const { outage, messages } = setUp();
  outage.failed(unavailable());
  if (error === undefined) outage.responded();
  else outage.failed(error);
  expect(messages().includes('the event store is reachable again')).toBe(isEnd);
});

it.each([
  ['unavailable', unavailable(), true],
  ['no response in time', new StoreUnavailable('no response'), true],
  ['a write to a lost connection', asClientError(serviceError(13, 'write after end')), true],
  [
    'a reset by a stopping server',
    Object.assign(new Error('Received RST_STREAM with code 0'), { code: 13 }),
    true,
  ],
  ['a refusal', Object.assign(new Error('3 INVALID_ARGUMENT'), { code: 3 }), false],
  ['a bug', new TypeError('x is not a function'), false],
])('marks an error as logged only if the store was unreachable: %s', (_, error, isMarked) => {
  const { outage, messages } = setUp();
  outage.failed(error);
  expect(messages()).toHaveLength(isMarked ? 1 : 0);
  expect(isLoggedElsewhere(error)).toBe(isMarked);
  expect(isLoggedElsewhere(new Error('a read failed', { cause: error }))).toBe(isMarked);
});

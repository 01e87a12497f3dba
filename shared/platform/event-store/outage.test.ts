import { expect, it } from 'vitest';
import { isLoggedElsewhere } from '#shared/platform/logging/logged-elsewhere.ts';
import { createOutage } from './outage.ts';
import { StoreUnavailable } from './store-unavailable.ts';

function setUp() {
  const lines: [string, object][] = [];
  let timeMs = 0;
  const outage = createOutage(
    { warn: (facts: object, message: string) => void lines.push([message, facts]) } as never,
    { now: () => timeMs },
  );
  return {
    outage,
    messages: () => lines.map(([message]) => message),
    facts: () => lines.at(-1)?.[1],
    pass: (ms: number) => (timeMs += ms),
  };
}

const unavailable = () => Object.assign(new Error('14 UNAVAILABLE: read ECONNRESET'), { code: 14 });

it('tells once when the store goes and once when it is back, however many meet that', () => {
  const { outage, messages, facts, pass } = setUp();
  for (let meeting = 0; meeting < 1000; meeting += 1) {
    outage.failed(meeting % 2 === 0 ? unavailable() : new StoreUnavailable('no answer'));
    pass(14);
  }
  expect(messages()).toEqual(['the event store is unreachable']);
  outage.answered();
  outage.answered();
  expect(messages()).toEqual([
    'the event store is unreachable',
    'the event store is reachable again',
  ]);
  expect(facts()).toEqual({ awayMs: 14_000, failures: 1000 });
});

it('tells again once a while', () => {
  const { outage, messages, pass } = setUp();
  for (let second = 0; second < 70; second += 1) {
    outage.failed(unavailable());
    pass(1000);
  }
  const still = 'the event store is still unreachable';
  expect(messages()).toEqual(['the event store is unreachable', still, still]);
});

it('tells little of a store that comes and goes', () => {
  const { outage, messages, pass } = setUp();
  for (let turn = 0; turn < 100; turn += 1) {
    outage.failed(unavailable());
    pass(50);
    outage.answered();
    pass(50);
  }
  expect(messages().length).toBeLessThanOrEqual(4);
});

it.each([
  ['unavailable', unavailable(), true],
  ['no answer in time', new StoreUnavailable('no answer'), true],
  [
    'a reset of a server that stops',
    Object.assign(new Error('Received RST_STREAM with code 0'), { code: 13 }),
    true,
  ],
  ['a refusal', Object.assign(new Error('3 INVALID_ARGUMENT'), { code: 3 }), false],
  ['a fault of our own', new TypeError('x is not a function'), false],
])('leaves to itself what of an absence is logged: %s', (_, error, isLeft) => {
  const { outage, messages } = setUp();
  outage.failed(error);
  expect(messages()).toHaveLength(isLeft ? 1 : 0);
  expect(isLoggedElsewhere(error)).toBe(isLeft);
  expect(isLoggedElsewhere(new Error('a read failed', { cause: error }))).toBe(isLeft);
});

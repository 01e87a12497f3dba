import { describe, expect, test } from 'vitest';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import {
  createRhythms,
  nextDueAt,
  shortestRhythm,
  retryAfter,
  silenceAfter,
  silenceBeforePoll,
  type Timings,
} from './timings.ts';
import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import {
  accepted,
  admitted,
  noMoney,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import { unresolved } from '#shared/domain/operation/testing/payouts.ts';
import { createFakeProvider } from '../testing/fake-provider.ts';

const timings: Timings = {
  graceMs: 10,
  silenceMs: 1_000,
  longestSilenceMs: 8_000,
  retryMs: 100,
  longestRetryMs: 1_000,
};
const bank: ProviderConnector = {
  ...createFakeProvider('bank').connector,
  reports: { by: 'polling', rhythm: { firstAfterMs: 20, everyMs: 30, longestMs: 90 } },
};
const providers = new Map([
  ['bank', bank],
  ['sandbox', createFakeProvider().connector],
]);
const rhythms = createRhythms(providers, timings);
const byCallbacks = rhythms.of('sandbox');
const at = (ms: number) => new Date(ms).toISOString();
const withdrawn: OperationEvent = { type: 'AttemptWithdrawn', data: { attempt: 1 } };
const expired: OperationEvent = { type: 'OperationExpired', data: noMoney };

describe('an event at 100 ms makes its stream due', () => {
  test.each<[string, OperationEvent, number | undefined]>([
    ['when the acceptance wait is over', admitted({ acceptUntil: at(15_000) }), 15_010],
    ['when the window ends', accepted(1, { expires_at: at(500) }), 510],
    [
      'when the provider has been silent for long, if that is before the end of the window',
      accepted(1, { expires_at: at(50_000) }),
      1_100,
    ],
    ['immediately, after an earlier attempt', accepted(2, { expires_at: at(50_000) }), 100],
    ['immediately, for an attempt with an unknown outcome', unresolved, 100],
    ['immediately, for a terminal status', expired, 100],
    ['at the time that was already planned', withdrawn, undefined],
  ])('%s', (_when, event, expected) => {
    expect(nextDueAt(event, 100, { graceMs: 10, rhythm: byCallbacks })).toBe(expected);
  });
});

test('a polled provider has its own interval (R13.16)', () => {
  expect(nextDueAt(accepted(1), 100, { graceMs: 10, rhythm: rhythms.of('bank') })).toBe(120);
  const { of } = rhythms;
  expect([0, 1, 2, 3, 1_000].map((polls) => silenceAfter(polls, of('bank')))).toEqual([
    20, 30, 60, 90, 90,
  ]);
});

test('an unknown provider, or several providers, are polled at the shortest interval', () => {
  expect(rhythms.of(undefined)).toEqual(rhythms.of('bank'));
  expect(shortestRhythm([byCallbacks, rhythms.of('bank')])).toEqual(rhythms.of('bank'));
});

test('the intervals before the next poll and before the next retry grow up to a bound', () => {
  expect([0, 1, 2, 3, 4, 1_000].map((polls) => silenceAfter(polls, byCallbacks))).toEqual([
    1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
  ]);
  expect(retryAfter(0, timings, 0)).toBe(80);
  expect(retryAfter(2, timings, 0.5)).toBe(400);
  expect(retryAfter(1_000, timings, 0.5)).toBe(1_000);
});

const bySandbox = [admitted(), started(), accepted()];
const byBank = [admitted(), started(1, route({ provider: 'bank' })), accepted()];
/** The bank may still take the first attempt, and can't withdraw it. */
const byBoth = [
  admitted(),
  started(1, route({ provider: 'bank' })),
  unresolved,
  started(2),
  accepted(2),
];
test.each<[string, OperationEvent[], number[]]>([
  ['a provider with callbacks is polled after a long silence', bySandbox, [1_000, 2_000, 8_000]],
  ['a provider without callbacks is polled at its own interval (R13.16)', byBank, [20, 30, 90]],
  ['two providers are polled at the shorter interval (R13.17)', byBoth, [20, 30, 90]],
  [
    'after the terminal status the intervals grow longer (R13.17)',
    [...byBank, expired],
    [20, 30, 8_000],
  ],
])('%s', (_, events, expected) => {
  const bankOnly = new Set(['bank']);
  const polling = {
    unsupported: { callbacks: bankOnly, withdrawal: bankOnly },
    endedByProvider: new Set<number>(),
  };
  const operation = fold(events) as Operation;
  const silences = [0, 1, 1_000].map((pollsWithoutChange) =>
    silenceBeforePoll(operation, { providers, timings, polling, pollsWithoutChange }),
  );
  expect(silences).toEqual(expected);
});

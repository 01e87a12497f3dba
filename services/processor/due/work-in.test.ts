import { expect, test } from 'vitest';
import { storedEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { createRhythms, defaultTimings } from './timings.ts';
import { workIn } from './work-in.ts';

const item = (stream: string, type: string, data: object = {}): StoredEvent =>
  storedEvent({ type, data, stream, revision: 4, position: 9n, created: new Date(1_000) });
const plan = { timings: defaultTimings, rhythms: createRhythms(new Map(), defaultTimings) };
const workOf = (events: readonly StoredEvent[]) => events.map((event) => workIn(event, plan));
const amounts = {
  shop_id: 's',
  currency: 'RUB',
  legs: [],
  balance_after: '0.00',
  reserved_after: '0.00',
};
const entry = (about: object) =>
  item(ledgerStream('s', 'RUB'), 'EntryPosted', { ...amounts, ...about });
const of = (operation_id: string, more: object = {}) => ({ operation_id, ...more });

test('entries complete the pending steps of an operation; other events complete none', () => {
  const done = (stream: string, key: string) => ({ kind: 'done', stream, done: key });
  expect(
    workOf([
      entry({ kind: 'reserve', ...of('a', { reservation: 1 }) }),
      entry({ kind: 'release', ...of('a', { reservation: 1 }) }),
      entry({ kind: 'capture', ...of('a', { reservation: 2 }) }),
      entry({ kind: 'credit', ...of('b') }),
      entry({ kind: 'suspense', ...of('b', { leg_id: 'leg 1' }) }),
      entry({ kind: 'adjustment', adjustment_id: 'x', reason: 'r' }),
      entry({ kind: 'of a later version', ...of('a') }),
    ]),
  ).toEqual([
    undefined,
    done(operationStream('a'), 'end a 1'),
    done(operationStream('a'), 'end a 2'),
    done(operationStream('b'), 'credit b'),
    done(lateStream('b'), 'suspense b leg 1'),
    undefined,
    undefined,
  ]);
});

test('late money is due immediately, a late status is not', () => {
  const about = of('a', { shop_id: 's', merchant_id: 'm', attempt: 1, provider: 'p' });
  const leg = {
    leg_id: 'l',
    amount: '1.00',
    completed_at: '2026-01-31T12:00:00.000Z',
    file: false,
  };
  const money = item(lateStream('a'), 'LateMoneyReceived', { ...about, currency: 'RUB', leg });
  const status = { ...about, reported_status: 'completed', operation_status: 'declined' };
  const contradiction = item(lateStream('b'), 'LateStatusReported', status);
  expect(workOf([money, contradiction])).toEqual([
    { kind: 'moved', stream: lateStream('a'), dueMs: 1_000, lastActivityMs: 1_000, revision: 4 },
    { kind: 'moved', stream: lateStream('b'), lastActivityMs: 1_000, revision: 4 },
  ]);
});

test('an event that this version can’t read makes its stream due immediately', () => {
  expect(workOf([item(operationStream('a'), 'OfALaterVersion')])).toEqual([
    {
      kind: 'moved',
      stream: operationStream('a'),
      dueMs: 1_000,
      lastActivityMs: 1_000,
      revision: 4,
    },
  ]);
});

test('a stream that the feed does not follow is a bug', () => {
  expect(() => workOf([item('shop-s', 'ShopCreated')])).toThrow(
    'the processor does not follow stream shop-s',
  );
});

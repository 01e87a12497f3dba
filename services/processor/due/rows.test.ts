import { expect, test } from 'vitest';
import { operationStream } from '#shared/domain/operation/events.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { evidenceStream } from '#shared/domain/receipts/events.ts';
import type { LogItem } from '#shared/event-store/index.ts';
import { defaultTimings } from './next-look.ts';
import { workIn } from './rows.ts';

const item = (stream: string, type: string, data: object = {}): LogItem => ({
  kind: 'event',
  event: {
    type,
    data,
    id: `${stream}-${type}`,
    stream,
    revision: 4,
    position: 9n,
    created: new Date(1_000),
    metadata: { correlation_id: 'c', actor: 'service:test', schema_version: 1 },
  },
});
const books = { shop_id: 's', currency: 'RUB', legs: [], balance_after: '0.00', reserved_after: '0.00' };
const entry = (about: object) => item(ledgerStream('s', 'RUB'), 'EntryPosted', { ...books, ...about });
const of = (operation_id: string, more: object = {}) => ({ operation_id, ...more });

test('entries and evidence mark what an operation owed as done; what owes nothing marks nothing', () => {
  const { rows, marks } = workIn(
    [
      entry({ kind: 'reserve', ...of('a', { reservation: 1 }) }),
      entry({ kind: 'release', ...of('a', { reservation: 1 }) }),
      entry({ kind: 'capture', ...of('a', { reservation: 2 }) }),
      entry({ kind: 'credit', ...of('b') }),
      entry({ kind: 'suspense', ...of('b', { leg_id: 'leg 1' }) }),
      entry({ kind: 'adjustment', adjustment_id: 'x', reason: 'r' }),
      entry({ kind: 'of a later version', ...of('a') }),
      item(evidenceStream('a'), 'EvidenceMaterialised'),
    ],
    defaultTimings,
  );
  expect(rows).toEqual([]);
  expect(marks).toEqual([
    { stream: operationStream('a'), done: ['end a 1', 'end a 2', 'evidence'] },
    { stream: operationStream('b'), done: ['credit b'] },
    { stream: lateStream('b'), done: ['suspense b leg 1'] },
  ]);
});

test('late money asks for a look at once, a late status for none', () => {
  const about = of('a', { shop_id: 's', merchant_id: 'm', attempt: 1, provider: 'p' });
  const leg = { leg_id: 'l', amount: '1.00', completed_at: '2026-01-31T12:00:00.000Z', file: false };
  const money = item(lateStream('a'), 'LateMoneyReceived', { ...about, currency: 'RUB', leg });
  const status = { ...about, reported_status: 'completed', operation_status: 'declined' };
  const contradiction = item(lateStream('b'), 'LateStatusReported', status);
  const heard_at = new Date(1_000).toISOString();
  expect(workIn([money, contradiction], defaultTimings).rows).toEqual([
    { stream: lateStream('a'), due_at: heard_at, heard_at, revision: 4 },
    { stream: lateStream('b'), due_at: null, heard_at, revision: 4 },
  ]);
});

test('a stream that the feed does not follow is a bug', () => {
  expect(() => workIn([item('shop-s', 'ShopCreated')], defaultTimings)).toThrow('no stream of the processor');
});

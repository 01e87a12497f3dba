import { expect, it } from 'vitest';
import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { auditLog } from '../../testing/audit-log.ts';
import {
  all,
  change,
  dataOf,
  drop,
  type Change,
  type Data,
} from '../../testing/corruptions/changes.ts';
import { writeLog } from '../../testing/corruptions/index.ts';
import { secretOf } from '../../testing/shops.ts';
import { shopId } from '../../testing/valid-log.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { createEntityStore } from '../entities/entity-store.ts';
import { createShops } from '../pass/shops.ts';
import { createFileContent } from './file-content.ts';

const isOfAnother = 'idempotency_body_mismatch';

/** The file's row has that name, and its result that code. */
const rowWith =
  (name: string, code: string): Change =>
  (events) => {
    const [row] = dataOf(events, 'batch-rows')['rows'] as [Data];
    Object.assign(row, { merchant_operation_id: name });
    const operation_id = operationIdFor(secretOf(shopId), name);
    change('batch-created', { results: [{ merchant_operation_id: name, operation_id, code }] })(
      events,
    );
  };

const findings = async (corruption: Change) =>
  (await auditLog(writeLog(corruption))).findings.filter(({ rule }) =>
    rule.startsWith('payout_file.'),
  );

it.each([
  ['an equal payout of another card', rowWith('order-2', isOfAnother)],
  [
    'a request to cancel it, without an operation',
    all(drop('cancelled-admitted', 'cancelled'), rowWith('order-3', isOfAnother)),
  ],
])('accepts a row that does not match what has its name: %s (R24.11)', async (_, corruption) => {
  expect(await findings(corruption)).toEqual([]);
});

it('accepts a row that failed without a payout where a request ordered one (R24.11)', async () => {
  expect(await findings(rowWith('order-2', 'internal_error'))).toEqual([]);
});

const hourMs = 3_600_000;
const startMs = Date.parse('2026-01-31T12:00:00.000Z');

/** Since when the audit calls files a standstill, of which these things happened at an hour. */
function standstills(
  ...steps: (readonly [file: string, what: 'confirmed' | 'result' | 'finished', hour: number])[]
) {
  const { take, outstanding } = createFileContent();
  const context = {
    report: () => undefined,
    shops: createShops(),
    entities: createEntityStore({ folder: '', onSpill: undefined }),
  };
  const types = {
    confirmed: 'PayoutBatchConfirmed',
    result: 'PayoutBatchRowsCreated',
    finished: 'PayoutBatchFinished',
  } as const;
  for (const [number, [file, what, hour]] of steps.entries()) {
    const data = { batch_id: file, shop_id: file.slice(0, 1) };
    const results = [{ merchant_operation_id: 'x', operation_id: 'y' }];
    const event = { type: types[what], data: { ...data, results } } as PayoutBatchEvent;
    const stored = { id: `${number}`, stream: file, revision: 0, position: number };
    take(context, { event: stored, atMs: startMs + hour * hourMs } as EventEnvelope, event);
  }
  return outstanding().map(({ stream, sinceMs }) => [stream, (sinceMs - startMs) / hourMs - 24]);
}

it('counts a day of a shop from its newest result: its files wait for each other (R24.11)', () => {
  const waiting = [
    ['a1', 'confirmed', 0],
    ['a2', 'confirmed', 1],
    ['a1', 'result', 2],
    ['a1', 'result', 20],
  ] as const;
  expect(standstills(...waiting)).toEqual([['a1', 20]]);
  expect(standstills(...waiting, ['a1', 'finished', 21])).toEqual([['a2', 21]]);
  // Another file that is confirmed brings none of them on.
  expect(standstills(...waiting, ['a3', 'confirmed', 40])).toEqual([['a1', 20]]);
});

it('counts a day of a shop from when it could have its turn, after four others (R24.11)', () => {
  const shops = ['b', 'c', 'd', 'e'];
  const others = (count: number, hour: number) =>
    shops
      .slice(0, count)
      .flatMap((shop) => [
        [`${shop}1`, 'confirmed', 0] as const,
        [`${shop}1`, 'result', 1] as const,
        [`${shop}1`, 'result', hour] as const,
      ]);
  const ended = shops.map((shop) => [`${shop}1`, 'finished', 31] as const);
  const of = (found: unknown[][]) => found.find(([stream]) => stream === 'a1');
  expect(of(standstills(['a1', 'confirmed', 0], ...others(3, 30)))).toEqual(['a1', 0]);
  expect(of(standstills(['a1', 'confirmed', 0], ...others(4, 30)))).toEqual(['a1', 30]);
  expect(standstills(['a1', 'confirmed', 0], ...others(4, 30), ...ended)).toEqual([['a1', 30]]);
});

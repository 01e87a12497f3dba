import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import type { NewLogEvent } from '../log.ts';
import { secretOf } from '../shops.ts';
import { confirmationId, otherShopId, payment, payout, shopId } from '../valid-log.ts';
import {
  after,
  again,
  all,
  change,
  type Change,
  type Corruptions,
  dataOf,
  drop,
  eventOf,
  inOperation,
  set,
} from './changes.ts';

const other = operationIdFor(secretOf(shopId), 'order-21');

const row =
  (more: object): Change =>
  (events) => {
    const [first] = dataOf(events, 'batch-rows')['rows'] as object[];
    change('batch-rows', { rows: [{ ...first, ...more }] })(events);
  };
const result = (more: object): Change =>
  change('batch-created', {
    results: [{ merchant_operation_id: 'order-2', operation_id: payout, ...more }],
  });
const named21 = row({ merchant_operation_id: 'order-21' });
const result21 = (more: object) =>
  result({ merchant_operation_id: 'order-21', operation_id: other, ...more });
const notFinished = drop('batch-created', 'batch-finished');

/** A payout that a service admits as one of the file. */
const admitted =
  (at: string, amount: string): Change =>
  (events) => {
    const { data } = eventOf(events, 'payout-admitted');
    const { request, ...names } = data as { request: object };
    after(at, {
      ...inOperation(other, 'OperationAdmitted', {
        ...names,
        operation_id: other,
        merchant_operation_id: 'order-21',
        request: { ...request, amount },
      }),
      actor: 'service:merchant-api',
      causationId: confirmationId,
    })(events);
  };
const repeated: Change = (events) =>
  after('batch-confirmed', structuredClone(events.get('batch-rows') as NewLogEvent))(events);

export const payoutFiles = {
  'payout_file.content': {
    'a payout file of another shop than it is of': change('batch-confirmed', {
      shop_id: otherShopId,
    }),
    'rows added to a confirmed payout file': repeated,
    'a payout file checked twice': again('batch-checked'),
    'a payout file confirmed twice': again('batch-confirmed'),
    'a payout file confirmed without a check': drop('batch-checked'),
    'a payout file confirmed with errors': change('batch-checked', {
      errors: [{ row: 1, pointer: '/amount', code: 'amount_invalid' }],
    }),
    'a false number of rows of a payout file': change('batch-checked', { rows: 2 }),
    'a false total of a payout file': change('batch-checked', { total: { RUB: '50.00' } }),
    'a total of a payout file in another currency': change('batch-checked', {
      total: { USD: '100.00' },
    }),
    'a payout file with two rows of one name': (events) => {
      const [first] = dataOf(events, 'batch-rows')['rows'] as object[];
      change('batch-rows', { rows: [first, first] })(events);
      change('batch-checked', { rows: 2, total: { RUB: '200.00' } })(events);
    },
    'a payout file finished without a confirmation': drop('batch-confirmed'),
    'a payout file finished twice': again('batch-finished'),
    'a payout file finished without results': drop('batch-created'),
  },
  'payout_file.payouts': {
    'a payout of 50,000.00 for a row of 100.00': all(
      named21,
      notFinished,
      admitted('batch-confirmed', '50000.00'),
    ),
    'a payout that is in no row of its file': all(
      notFinished,
      admitted('batch-confirmed', '100.00'),
    ),
    'a payout of a file that is finished': admitted('batch-finished', '100.00'),
    'a result before the confirmation of its file': drop('batch-confirmed'),
    'the result of another row': result({ merchant_operation_id: 'order-8' }),
    'a result with another payout': result({ operation_id: payment }),
    'a result of a payout that does not exist': all(named21, result21({})),
    'a result of a payout of another amount than its row': all(
      row({ amount: '50.00' }),
      change('batch-checked', { total: { RUB: '50.00' } }),
    ),
    'a mismatch of a row whose name nothing has': all(
      named21,
      result21({ code: 'idempotency_body_mismatch' }),
    ),
    'a row that failed without a payout after its file had ordered one': all(
      named21,
      admitted('batch-confirmed', '100.00'),
      result21({ code: 'internal_error' }),
    ),
    'a payout that its file orders after the row failed without one': all(
      named21,
      drop('batch-finished'),
      result21({ code: 'internal_error' }),
      admitted('batch-created', '100.00'),
    ),
    'a failure of a row whose payout was made': result({ code: 'provider_not_accepted' }),
  },
  'payout_file.standstill': {
    'a payout file that is confirmed and not executed': all(
      notFinished,
      set('batch-confirmed', { atMs: Date.parse('2026-01-29T12:00:00.000Z') }),
    ),
  },
} satisfies Corruptions;

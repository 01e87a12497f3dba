import { newId } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import type { NewLogEvent } from '../log.ts';
import { secretOf, testRoute } from '../shops.ts';
import { payment, payout, shopId } from '../valid-log.ts';
import {
  after,
  again,
  all,
  by,
  change,
  type Change,
  type Corruptions,
  corruptionsFor,
  type Data,
  dataOf,
  dear,
  drop,
  eventOf,
  expiredAtOnce,
  followedBy,
  hasRoute,
  inOperation,
  legReturn,
  legs,
  noMoney,
  processor,
  set,
  storedLeg,
  twoDaysLater,
  without,
  withReport,
  written,
} from './changes.ts';

const unresolved = inOperation(payout, 'AttemptUnresolved', { attempt: 1, cause: 'timeout' });

/** Another payment, which is declined by this cause after these events. */
const declined =
  (reason: string, ...before: NewLogEvent[]): Change =>
  (events) => {
    const id = operationIdFor(secretOf(shopId), 'order-9');
    const names = { operation_id: id, merchant_operation_id: 'order-9' };
    const accept_until = '2026-02-02T12:01:15.000Z';
    const data = { ...dataOf(events, 'payment-admitted'), ...names, accept_until };
    const admitted = { ...inOperation(id, 'OperationAdmitted', data), ...twoDaysLater };
    const ended = inOperation(id, 'OperationDeclined', { ...noMoney, reason });
    const moved = before.map((event) => ({ ...event, stream: admitted.stream }));
    after('batch-finished', admitted, ...moved, ended)(events);
  };
const started = inOperation('', 'AttemptStarted', { attempt: 1, route: testRoute('payment') });
const refused = inOperation('', 'AttemptRefused', { attempt: 1, reason: 'insufficient_funds' });
const unanswered = (cause: string) => inOperation('', 'AttemptUnresolved', { attempt: 1, cause });
const skipped = (reason: string) =>
  inOperation('', 'RoutesSkipped', { routes: [{ provider: 'sandbox', priority: 1, reason }] });

/** Causes of a decline that what came before it does not show. */
const wrongCauses: readonly (readonly [string, ...NewLogEvent[]])[] = [
  ['no_route'],
  ['routes_skipped'],
  ['all_refused'],
  ['acceptance_timeout'],
  ['routes_full', skipped('provider_failing')],
  ['routes_skipped', skipped('route_full')],
  ['all_refused', started],
  ['all_refused', started, refused],
  ['provider_error', started, refused],
  ['acceptance_timeout', started, refused],
  ['insufficient_funds', started, refused],
  ['provider_error', started, unanswered('timeout')],
  ['all_refused', started, unanswered('error')],
];

export const operations = {
  'operation.admission_first': {
    'an attempt without an admission': after(
      'token',
      inOperation(newId(), 'AttemptWithdrawn', { attempt: 1 }),
    ),
    'a second admission': again('payment-admitted'),

    'an attempt before the admission': after(
      'key-in-use',
      inOperation(payment, 'AttemptStarted', { attempt: 1, route: testRoute('payment') }),
    ),
    'a second early cancel': (events) =>
      after('cancelled-admitted', structuredClone(eventOf(events, 'cancelled-first')))(events),
    'an admission that is not the first event': written('OperationAdmitted', { revision: 1 }),
  },
  'operation.unknown_shop': {
    'an operation of an unknown shop': change('payment-admitted', { shop_id: 'shop-9' }),
    'an operation of a shop of another merchant': change('payment-admitted', {
      merchant_id: 'merchant-2',
    }),
  },
  'operation.id': {
    'an operation id that does not match its merchant_operation_id': change('payment-admitted', {
      merchant_operation_id: 'order-9',
    }),
  },
  'operation.second_end': {
    'a second terminal status': followedBy('payment-completed', 'OperationExpired', noMoney),
  },
  'operation.event_after_end': {
    'money after the terminal status': followedBy('payment-completed', 'LegReceived', {
      attempt: 1,
      leg: { ...storedLeg('l9', '1.00'), file: false },
    }),
  },
  'operation.requisites_after_cancel': {
    'requisites after an early cancel': followedBy('cancelled', 'AttemptAccepted', {
      attempt: 1,
      provider_reference: 'ref',
      requisites: { number: '2200' },
      confirmation_required: false,
    }),
  },
  'operation.payout_cancelled': {
    'a cancelled payout': all(
      drop('payout-completed', 'capture'),
      followedBy('payout-accepted', 'OperationCancelled', { ...noMoney, reason: '' }),
    ),

    'an expired payout': all(
      drop('payout-completed', 'capture'),
      followedBy('payout-accepted', 'OperationExpired', noMoney),
    ),
    'a payout admitted with a cancelled key': all(
      change('cancelled-admitted', { type: 'payout' }),
      drop('cancelled'),
    ),
  },
  'operation.payout_declined_unknown': {
    'a payout declined after a timeout': all(
      drop('payout-completed', 'capture', 'payout-accepted'),
      followedBy('payout-reserved', 'OperationDeclined', {
        ...noMoney,
        reason: 'acceptance_timeout',
      }),
    ),

    'a payout declined after an unknown outcome': all(
      drop('payout-completed', 'capture', 'payout-accepted'),
      after(
        'payout-reserved',
        unresolved,
        inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      ),
    ),
  },
  'operation.legs': {
    'legs with too small a sum': drop('payment-leg'),
    'a negative leg': all(
      followedBy('payment-leg', 'LegReceived', {
        attempt: 1,
        leg: storedLeg('l8', '-50000.00'),
      }),
      change('payment-completed', {
        legs: [storedLeg('l2', '60.00'), storedLeg('l9', '50000.00')],
      }),
    ),
    'money returned before the terminal status that still counts': followedBy(
      'payment-leg',
      'LegReturned',
      {
        ...legReturn,
        returned: { ...legReturn.returned, amount: '40.00' },
        counted: '40.00',
      },
    ),
    'a leg that is counted twice': change('payment-completed', {
      legs: [storedLeg('l1', '60.00')],
    }),
  },
  'operation.end_kind': {
    'completed with too small an amount': change('payment-admitted', {
      request: { client_id: 'c', method: 'WT_RUB_C2C', amount: '100.01', currency: 'RUB' },
    }),
  },
  'operation.figures': {
    'a commission that is rounded down': change('payment-completed', {
      commission_amount: '2.49',
      settlement_amount: '97.51',
    }),
    ...corruptionsFor<Data>(
      [{ recorded_amount: '99.99' }, { commission_amount: '2.49' }, { settlement_amount: '97.51' }],
      (figure) => [
        `money with another ${Object.keys(figure).join()}`,
        change('payment-completed', figure),
      ],
    ),
    ...corruptionsFor<Data>(
      [{ recorded_amount: '0.00' }, { commission_amount: '0.01' }, { settlement_amount: '0.01' }],
      (figure) => [`${Object.keys(figure).join()} without money`, change('cancelled', figure)],
    ),
    'money without a recorded amount': without('payment-completed', 'recorded_amount'),
    'money without an attempt': drop('payment-started', 'payment-accepted', 'payment-leg'),
  },
  'operation.reserved_amount': {
    'a reservation request without the commission': change('payout-requested', {
      amount: '100.00',
    }),
    'an attempt at 90 % with funds reserved for 2.50 %': all(
      hasRoute({ type: 'payout', commission: dear }),
      after(
        'payout-reserved',
        inOperation(payout, 'AttemptRefused', { attempt: 1, reason: 'limit' }),
        inOperation(payout, 'AttemptStarted', {
          attempt: 2,
          route: testRoute('payout', { commission: dear }),
        }),
        inOperation(payout, 'FundsReserved', { reservation: 1, attempt: 2 }),
      ),
      change('payout-accepted', { attempt: 2 }),
      // At 90 %, but within the reserved amount.
      withReport('payout-completed', undefined),
      by('payout-completed', processor),
      change('payout-completed', { settlement_amount: '95.00', commission_amount: '45.00' }),
      change('capture', {
        legs: legs({
          reserved: '-102.50',
          provider: '50.00',
          commission: '45.00',
          balance: '7.50',
        }),
        balance_after: '17.50',
      }),
    ),
  },
  'operation.decline_cause': corruptionsFor(
    wrongCauses,
    ([reason, ...before]): [string, Change] => [
      `a decline by ${reason} after ${before.map(({ type, data }) => `${type} ${JSON.stringify(data)}`).join() || 'nothing'}`,
      declined(reason, ...before),
    ],
  ),
  'operation.expired_early': {
    'an early expiry with a window that ends in 2031, at a provider that numbers its reports':
      expiredAtOnce('2031-01-31T12:30:00.000Z'),
    'an early expiry with no window, at a provider that numbers its reports':
      expiredAtOnce(undefined),
  },
  'operation.overdue': {
    'a create that is never finished': drop(
      'payment-completed',
      'payment-accepted',
      'payment-leg',
      'credit',
    ),
    'a payment still open long after its expiry': all(
      drop('payment-completed', 'payment-leg'),
      change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' }),
    ),

    'a payout refused after an unknown outcome, and not declined': all(
      drop('payout-completed', 'capture', 'payout-accepted'),
      after(
        'payout-reserved',
        unresolved,
        inOperation(payout, 'AttemptRefused', { attempt: 1, reason: 'limit' }),
      ),
    ),
  },
  'operation.decided': {
    'more money counted than an operator approved': change('approved-decided', {
      actual_amount: '10.00',
    }),
    'an approval without an amount': without('approved-decided', 'actual_amount'),
    'unreported money without a review': (events) => {
      for (const leg of dataOf(events, 'payment-completed')['legs'] as Data[])
        leg['synthetic'] = true;
    },
    'unreported money while the payment is open': change('payment-leg', {
      leg: { ...storedLeg('l1', '40.00'), synthetic: true },
    }),
    'a declined review that counts money': set('reviewed-declined', {
      type: 'OperationPartiallyCompleted',
      data: {
        actual_amount: '60.00',
        recorded_amount: '60.00',
        settlement_amount: '58.50',
        commission_amount: '1.50',
        legs: [storedLeg('d1', '60.00')],
      },
    }),
  },
} satisfies Corruptions;

import { type NewLogEvent } from '../log.ts';
import { approved, otherShopId, payment, payout, shopId } from '../valid-log.ts';
import {
  aboutLate,
  after,
  again,
  all,
  change,
  correctedToZero,
  type Corruptions,
  corruptionsFor,
  type Data,
  dataOf,
  drop,
  eventOf,
  followedBy,
  inOperation,
  lateEvent,
  lateStatus,
  legReturn,
  legs,
  set,
  signedLeg,
  storedLeg,
  twoMinutesBefore,
  without,
} from './changes.ts';

const overcharged = {
  stream: `late-${payout}`,
  type: 'PayoutOvercharged',
  data: {
    ...aboutLate,
    operation_id: payout,
    currency: 'RUB',
    agreed_amount: '1.00',
    charged_amount: '2.00',
  },
};

/** A correction of the late money from 5.00 to 4.00. */
const difference = (changed: Data): NewLogEvent =>
  lateEvent('DifferenceReported', {
    currency: 'RUB',
    of: 'transfer',
    corrects: 'l3',
    leg: signedLeg('l3:corrected-1', '-1.00'),
    counted_amount: '5.00',
    reported_amount: '4.00',
    ...changed,
  });

const early = { ...legReturn, counted: '40.00' };
const returnEvent = (amount: string, more: Data) =>
  lateEvent('MoneyReturned', {
    currency: 'RUB',
    kind: 'charged_back',
    of_leg_id: 'l1',
    leg: signedLeg('b', amount),
    beyond: amount,
    ...more,
  });

export const late = {
  'late.unknown': {
    'late money of an unknown attempt': change('late', { attempt: 7 }),
    'a correction of late money from another amount': correctedToZero('late', {
      leg_id: 'l3',
      counted_amount: '6.00',
    }),
    'a correction of a return from another amount': correctedToZero('returned', {
      leg_id: 'b1',
      counted_amount: '60.00',
    }),

    'late money of another shop': change('late', { shop_id: otherShopId }),
    'an acknowledgement of a status that was not reported': after('late', {
      stream: `late-${payment}`,
      type: 'LateStatusAcknowledged',
      data: { operation_id: payment, shop_id: shopId, entry_id: 'x', note: 'seen' },
    }),
    'a correction of unrecorded money': correctedToZero('late', {
      leg_id: 'l9',
      counted_amount: '5.00',
    }),
    'a difference of unrecorded money': after('late', difference({ corrects: 'l9' })),
    'a difference from another amount': after(
      'late',
      difference({ counted_amount: '6.00', reported_amount: '5.00' }),
    ),
    'a difference of another amount': after('late', difference({ reported_amount: '3.00' })),
    'late money of less than nothing': change('late', { leg: storedLeg('l3', '-5.00') }),
    'late money of a shop of another merchant': change('late', { merchant_id: 'merchant-2' }),
    'a difference of nothing': after(
      'late',
      difference({ reported_amount: '5.00', leg: signedLeg('l3:corrected-1', '0.00') }),
    ),
    'an approval confirmed by more of a leg that does not exist': change('confirmed-rest', {
      corrects: 'm9',
    }),
    'a difference from its first amount, reported twice': after(
      'late',
      difference({}),
      difference({ leg: signedLeg('l3:corrected-2', '-1.00') }),
    ),
  },
  'late.open': {
    'a return of the accepted attempt while the payment is open': after(
      'payment-leg',
      returnEvent('10.00', {}),
    ),
    ...corruptionsFor(
      ['LateMoneyReceived', 'ApprovedMoneyConfirmed', 'LateStatusReported'],
      (type) => [
        `${type} of the accepted attempt while the payment is open`,
        after(
          'payment-leg',
          lateEvent(type, {
            ...(type === 'LateStatusReported'
              ? lateStatus('pending')
              : { currency: 'RUB', leg: storedLeg('early', '60.00') }),
          }),
        ),
      ],
    ),
  },
  'late.twice': {
    'late money twice': again('late'),
    'a return with a duplicate id': again('returned'),

    'confirmed money twice': again('confirmed'),
    'a difference twice': after('late', difference({}), difference({})),
    'a difference with the id of late money': after(
      'late',
      difference({ leg: signedLeg('l3', '-1.00') }),
    ),
    'late money that the operation counts': change('late', { leg: storedLeg('l1', '5.00') }),
    'counted money that is late': after(
      'payment-accepted',
      lateEvent('LateMoneyReceived', { currency: 'RUB', leg: storedLeg('l1', '40.00') }),
    ),
  },
  'late.approved': {
    'approved money recorded as late': set('confirmed', { type: 'LateMoneyReceived' }),
    'more money confirmed than approved': change('confirmed-rest', {
      leg: storedLeg('m2', '40.01'),
    }),
    'more money missing than approved': after(
      'late',
      difference({
        of: 'approval',
        corrects: 'l1',
        counted_amount: '40.00',
        reported_amount: '39.00',
      }),
    ),
    'missing money that has arrived': (events) =>
      after('excess-suspense', {
        ...eventOf(events, 'excess'),
        type: 'DifferenceReported',
        data: {
          ...dataOf(events, 'excess'),
          ...(difference({
            of: 'approval',
            corrects: 'o1',
            counted_amount: '100.00',
            reported_amount: '99.00',
          }).data as Data),
          operation_id: approved,
          shop_id: otherShopId,
        },
      })(events),
  },
  'late.overcharge': {
    'an overcharge that is not recorded': all(
      change('payout-completed', {
        actual_amount: '120.00',
        recorded_amount: '120.00',
        settlement_amount: '123.00',
        commission_amount: '3.00',
        legs: [storedLeg('p1', '120.00')],
      }),
      set('payout-completed', { type: 'OperationCompleted' }),
    ),
    'an overcharge of a payout that cost the agreed amount': after('capture', overcharged),
    'an overcharge with other figures': all(
      change('payout-completed', {
        actual_amount: '120.00',
        recorded_amount: '120.00',
        settlement_amount: '123.00',
        commission_amount: '3.00',
        legs: [storedLeg('p1', '120.00')],
      }),
      set('payout-completed', { type: 'OperationCompleted' }),
      after('capture', overcharged),
    ),
  },
  'late.returned': {
    'a return beyond the received money that is not marked as such': without('returned', 'beyond'),
    'a return of 70.00 of 60.00 that is marked as wholly beyond': change('returned', {
      beyond: '70.00',
    }),
    'a return marked with too large an excess': all(
      set('approved-completed', twoMinutesBefore),
      change('returned', { beyond: '10.01' }),
    ),
    'a wrong total of returned money': change('returned', { total: '60.00' }),
    'a return without a total, long after the terminal status': all(
      set('approved-completed', twoMinutesBefore),
      without('returned', 'total'),
    ),
    'a return of a payment with the wrong kind': change('returned', { kind: 'returned' }),
    'an excess return before the terminal status without a late event': followedBy(
      'payment-leg',
      'LegReturned',
      { ...legReturn, counted: '40.00' },
    ),

    'a late part of a return that differs from its rest': after(
      'payment-leg',
      inOperation(payment, 'LegReturned', early),
      returnEvent('9.00', {}),
    ),
    'a return announced before the terminal status': after(
      'payment-leg',
      inOperation(payment, 'LegReturned', early),
      returnEvent('10.00', { total: '50.00' }),
    ),
  },
  'late.suspense_missing': {
    'returned money that is not in suspense': drop('returned-suspense', 'returned-resolution'),
    'late money that is not in suspense': drop('suspense', 'resolution'),
  },
  'late.suspense_amounts': {
    'returned money posted to suspense with the wrong sign': change('returned-suspense', {
      legs: legs({ provider: '-70.00', suspense: '70.00' }),
    }),
    'less in suspense than was received': change('suspense', {
      legs: legs({ provider: '-4.00', suspense: '4.00' }),
    }),
  },
  'late.resolution': {
    'a chargeback credited to the shop': change('returned-resolution', {
      resolution: 'credit_shop',
    }),
    'late money of a payment charged to its shop': change('resolution', {
      resolution: 'charge_shop',
    }),
    'a resolution without suspense': drop('suspense'),
  },
} satisfies Corruptions;

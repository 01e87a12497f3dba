import { testRoute } from '../shops.ts';
import { payment, reviewed } from '../valid-log.ts';
import {
  after,
  all,
  change,
  changeRoute,
  conversion,
  correction,
  type Corruptions,
  corruptionsFor,
  drop,
  followedBy,
  inOperation,
  legReturn,
  noMoney,
  set,
  signedLeg,
  storedLeg,
  without,
} from './changes.ts';

const route = testRoute('payment');
const receipt = { receipt_id: 'u9', sha256: 'cc', size_bytes: 1, pdf: true };
const closed = inOperation(payment, 'CloseDecided', { note: 'x' });
const declinedBy = (reason: string) => ({ ...noMoney, reason });
const cancelled = declinedBy('cancel');

/** Events that may not follow the named one, each with a title. */
const next: readonly (readonly [string, string, string, object])[] = [
  [
    'a route tried after an acceptance',
    'payment-accepted',
    'AttemptStarted',
    { attempt: 2, route },
  ],
  [
    'a second attempt while the first is open',
    'payment-started',
    'AttemptStarted',
    { attempt: 2, route },
  ],
  [
    'an attempt after a cancel that came first',
    'cancelled-admitted',
    'AttemptStarted',
    { attempt: 1, route },
  ],
  [
    'routes skipped after an acceptance',
    'payment-accepted',
    'RoutesSkipped',
    { routes: [{ provider: 'other', priority: 1, reason: 'provider_off' }] },
  ],
  [
    'funds requested for a payment',
    'payment-started',
    'ReservationRequested',
    { reservation: 1, currency: 'RUB', amount: '102.50' },
  ],
  [
    'funds requested after an acceptance',
    'payout-accepted',
    'ReservationRequested',
    { reservation: 2, currency: 'RUB', amount: '102.50' },
  ],
  [
    'funds requested twice',
    'payout-requested',
    'ReservationRequested',
    { reservation: 1, currency: 'RUB', amount: '102.50' },
  ],
  [
    'funds reserved after an acceptance',
    'payout-accepted',
    'FundsReserved',
    { reservation: 1, attempt: 1 },
  ],
  ['funds reserved twice', 'payout-reserved', 'FundsReserved', { reservation: 1, attempt: 1 }],
  [
    'a refusal after an acceptance',
    'payment-accepted',
    'AttemptRefused',
    { attempt: 1, reason: 'limit' },
  ],
  [
    'a timeout after an acceptance',
    'payment-accepted',
    'AttemptUnresolved',
    { attempt: 1, cause: 'timeout' },
  ],
  [
    'money before an acceptance',
    'payment-started',
    'LegReceived',
    { attempt: 1, leg: storedLeg('l9', '1.00') },
  ],
  [
    'money corrected before an acceptance',
    'payment-started',
    'LegCorrected',
    correction('l1', '40.00', 2),
  ],
  [
    'money corrected of another attempt',
    'payment-leg',
    'LegCorrected',
    { ...correction('l1', '40.00', 2), attempt: 2 },
  ],
  [
    'money returned before an acceptance',
    'payment-started',
    'LegReturned',
    { ...legReturn, counted: '40.00' },
  ],
  [
    'money returned of another attempt',
    'payment-leg',
    'LegReturned',
    { ...legReturn, counted: '40.00', attempt: 2 },
  ],
  [
    'a return that reduces another leg',
    'payment-leg',
    'LegReturned',
    {
      attempt: 1,
      returned: { ...signedLeg('b', '10.00'), of_leg_id: 'l1' },
      counted: '10.00',
      leg: storedLeg('l2', '30.00'),
    },
  ],
  ['a receipt that is not expected', 'payment-accepted', 'ReceiptUploaded', receipt],
  [
    'a receipt submitted that is not expected',
    'payment-accepted',
    'ReceiptSubmitted',
    { receipt_id: 'u1', attempt: 1, taken: true },
  ],
  [
    'a receipt submitted for another attempt',
    'uploaded',
    'ReceiptSubmitted',
    { receipt_id: 'u1', attempt: 2, taken: true },
  ],
  [
    'another receipt submitted',
    'uploaded',
    'ReceiptSubmitted',
    { receipt_id: 'u9', attempt: 1, taken: true },
  ],
  [
    'a manual check that is not expected',
    'payment-accepted',
    'ManualCheckStarted',
    { receipt_id: 'u1', reason: 'not_terminal' },
  ],
  [
    'a payment declined for insufficient funds',
    'payment-started',
    'OperationDeclined',
    declinedBy('insufficient_funds'),
  ],
  [
    'a decline without a route after an attempt',
    'payment-started',
    'OperationDeclined',
    declinedBy('no_route'),
  ],
  [
    'a decline by a review without a receipt',
    'payment-accepted',
    'OperationDeclined',
    declinedBy('review'),
  ],
  [
    'a decline by a review while creating',
    'payment-started',
    'OperationDeclined',
    declinedBy('review'),
  ],
  ['an expiry while creating', 'payment-started', 'OperationExpired', noMoney],
  ['a cancel while a receipt waits', 'uploaded', 'OperationCancelled', cancelled],
  ['a cancel during a manual check', 'checked', 'OperationCancelled', cancelled],
  ['a cancel after money was received', 'payment-leg', 'OperationCancelled', cancelled],
];

/** Leaves the receipt under review. */
const undecided = drop('decided', 'reviewed-declined', 'reviewed-withdrawn');

export const transitions = {
  'operation.illegal_transition': {
    ...corruptionsFor(next, ([title, name, type, data]) => [title, followedBy(name, type, data)]),
    'money for an attempt that was not accepted': change('payment-leg', { attempt: 2 }),
    'an acceptance without an attempt': drop('payment-started'),
    'a review decision not followed by a terminal status': followedBy(
      'decided',
      'ManualCheckStarted',
      { receipt_id: 'u1' },
    ),
    'a manual close not followed by a terminal status': followedBy('payment-leg', 'CloseDecided', {
      note: 'x',
    }),
    'a decline by a close that was not decided': change('reviewed-declined', { reason: 'close' }),
    'an acceptance at an FX rate that settles nothing': all(
      changeRoute('payment-started', { conversion }),
      change('payment-accepted', { fx_rate: '0.000049' }),
    ),
    'a leg corrected from another amount': followedBy(
      'payment-leg',
      'LegCorrected',
      correction('l1', '41.00', 2),
    ),
    'an older report applied after a newer one': after(
      'payment-leg',
      inOperation(payment, 'LegCorrected', correction('l1', '40.00', 3)),
      inOperation(payment, 'LegCorrected', correction('l1', '1.00', 2)),
    ),
    'a payment accepted without requisites': without('payment-accepted', 'requisites'),
    'an attempt withdrawn after an approval': followedBy('approved-completed', 'AttemptWithdrawn', {
      attempt: 1,
    }),
    'a return that reduces its leg by another amount': followedBy('payment-leg', 'LegReturned', {
      ...legReturn,
      counted: '39.00',
    }),

    'a first attempt that is not number 1': all(
      ...['payment-started', 'payment-accepted', 'payment-leg'].map((name) =>
        change(name, { attempt: 2 }),
      ),
    ),
    'an attempt by a route of another currency': changeRoute('payment-started', {
      currency: 'EUR',
    }),
    'an attempt by a route for more money': changeRoute('payment-started', {
      min_amount: '100.01',
    }),
    'an attempt by a route for less money': changeRoute('payment-started', { max_amount: '99.99' }),
    'funds requested for another attempt': all(
      change('payout-requested', { reservation: 2 }),
      change('payout-reserved', { reservation: 2 }),
    ),
    'funds requested in another currency': change('payout-requested', { currency: 'USD' }),
    'funds requested at a rate without a conversion': change('payout-requested', {
      fx_rate: '1.000000',
    }),
    'another reservation than the newest': change('payout-reserved', { reservation: 2 }),
    'a receipt expected against the route': change('payment-accepted', {
      confirmation_required: true,
    }),
    'a conversion accepted without a rate': changeRoute('payment-started', { conversion }),
    'a rate accepted without a conversion': change('payment-accepted', { fx_rate: '1.000000' }),
    'a return twice': after(
      'payment-leg',
      inOperation(payment, 'LegReturned', { ...legReturn, counted: '40.00' }),
      inOperation(payment, 'LegReturned', { ...legReturn, counted: '0.00' }),
    ),
    'the same receipt twice': all(
      undecided,
      after(
        'checked',
        inOperation(reviewed, 'ReviewDecided', {
          receipt_id: 'u1',
          decision: 'ask_again',
          note: '',
        }),
        inOperation(reviewed, 'ReceiptUploaded', { ...receipt, sha256: 'aa' }),
      ),
    ),
    'another receipt with the id of the first': all(
      drop('decided', 'reviewed-declined', 'reviewed-withdrawn'),
      after(
        'checked',
        inOperation(reviewed, 'ReviewDecided', {
          receipt_id: 'u1',
          decision: 'ask_again',
          note: '',
        }),
        inOperation(reviewed, 'ReceiptUploaded', { ...receipt, receipt_id: 'u1' }),
      ),
    ),
    'a receipt submitted twice': after(
      'uploaded',
      inOperation(reviewed, 'ReceiptSubmitted', { receipt_id: 'u1', attempt: 1, taken: true }),
      inOperation(reviewed, 'ReceiptSubmitted', { receipt_id: 'u1', attempt: 1, taken: true }),
    ),
    'another receipt requested after a flag without a reason': all(
      without('checked', 'reason'),
      drop('reviewed-withdrawn'),
      change('decided', { decision: 'ask_again' }),
    ),
    'a return of an unknown leg': followedBy('payment-leg', 'LegReturned', {
      attempt: 1,
      returned: { ...signedLeg('b', '1.00'), of_leg_id: 'l9' },
      counted: '1.00',
    }),
    'a manual check of another receipt': change('checked', { receipt_id: 'u9' }),
    'a review without a manual check': drop('checked'),
    'a review of another receipt': change('decided', { receipt_id: 'u9' }),
    'another receipt requested after a forged one': all(
      change('checked', { reason: 'potential_fake' }),
      drop('reviewed-withdrawn'),
      change('decided', { decision: 'ask_again' }),
    ),
    'completed while creating': drop('payment-accepted', 'payment-leg'),
    'partially completed while creating': drop('payout-accepted'),
    'a close, and a decline by the provider': after(
      'payment-accepted',
      closed,
      inOperation(payment, 'OperationDeclined', declinedBy('provider')),
    ),
    'a close while a receipt is under review': all(
      undecided,
      drop('checked'),
      after(
        'uploaded',
        inOperation(reviewed, 'CloseDecided', { note: 'x' }),
        inOperation(reviewed, 'OperationDeclined', declinedBy('close')),
      ),
    ),
    'a receipt while another is under review': all(
      undecided,
      drop('checked'),
      followedBy('uploaded', 'ReceiptUploaded', receipt),
    ),
    'a close while creating': all(
      drop('payment-accepted', 'payment-leg', 'payment-completed'),
      after('payment-started', closed, inOperation(payment, 'OperationCancelled', cancelled)),
    ),
    'money between a close and its terminal status': all(
      after('payment-accepted', closed),
      set('payment-completed', { type: 'OperationPartiallyCompleted' }),
    ),
    'an accepted payment declined because all refused': change('reviewed-declined', {
      reason: 'all_refused',
    }),
  },
} satisfies Corruptions;

import { erasedKey, otherSecret, storedCallback } from '../stored-reports.ts';
import { approved, payment, payout } from '../valid-log.ts';
import {
  acceptedBySignature,
  accountAdded,
  aDayBefore,
  after,
  all,
  alteredCallback,
  atAccount,
  by,
  change,
  type Change,
  changeRoute,
  conversion,
  correctedToZero,
  correction,
  type Corruptions,
  corruptionsFor,
  type Data,
  hasRoute,
  inOperation,
  lateEvent,
  lateReport,
  lateStatus,
  noMoney,
  otherProvider,
  sandbox,
  signedLeg,
  signedOnAnotherDay,
  signedReport,
  storedLeg,
  withReport,
} from './changes.ts';

const accountReplaced = {
  stream: 'directory',
  type: 'ProviderAccountCredentialsReplaced',
  data: {
    provider: 'sandbox',
    account: 'second',
    credentials: { master_key_id: 'm', sealed: 'v3.sealed', fingerprint: 'replaced' },
  },
};

/** A client's key that no master key of the auditor opens. */
const unreadableKey = { master_key_id: 'another', wrapped: 'wrapped' };

export const reports = {
  'report.signature': {
    'a callback other than the one that the provider signed': withReport(
      'payment-leg',
      storedCallback(payment, signedReport, {
        said: { ...signedReport, legs: [signedLeg('l1', '4.00')] },
      }),
    ),
    'a callback signed by another account with the provider': all(
      after('token', accountAdded),
      withReport('payment-leg', storedCallback(payment, signedReport, { secret: otherSecret })),
    ),
    'a callback signed by the default account for an attempt at another': all(
      after('token', accountAdded),
      atAccount,
    ),
    'a stored callback that was altered': (events) => {
      const kept = storedCallback(payment, signedReport);
      const end = kept.sealed.endsWith('AA') ? 'BB' : 'AA';
      withReport('payment-leg', { ...kept, sealed: `${kept.sealed.slice(0, -2)}${end}` })(events);
    },
    'a callback stored with another timestamp': alteredCallback({ timestamp: '1769860000' }),
    ...corruptionsFor([-7, 7], (minutes): [string, Change] => [
      `a callback signed ${minutes} minutes after it was recorded`,
      withReport(
        'payment-leg',
        storedCallback(payment, signedReport, {
          atMs: Date.parse('2026-01-31T12:00:00.000Z') + minutes * 60_000,
        }),
      ),
    ]),
    'a callback signed at no time': alteredCallback({ timestamp: 'now' }),
    'a leg of a report with another number than the provider signed': all(
      withReport('payment-leg', storedCallback(payment, { ...signedReport, version: 3 })),
      change('payment-leg', { report_version: 1_000_000_000 }),
    ),
    'a leg of a numbered report that the provider did not number': change('payment-leg', {
      report_version: 1_000_000_000,
    }),
    'a leg without the number that the provider signed': withReport(
      'payment-leg',
      storedCallback(payment, { ...signedReport, version: 3 }),
    ),
    'late money of a report with another number than the provider signed': all(
      by('late', sandbox),
      withReport('late', storedCallback(payment, { ...lateReport('5.00'), version: 3 })),
      change('late', { report_version: 1_000_000_000 }),
    ),
    'a callback of another operation': withReport(
      'payment-leg',
      storedCallback(payment, { ...signedReport, operation_id: payout }),
    ),
    'a callback sealed for another operation': withReport(
      'payment-leg',
      storedCallback(payout, signedReport),
    ),
    'a leg of another amount than the provider signed': change('payment-leg', {
      leg: storedLeg('l1', '41.00'),
    }),
    'a terminal status with a leg that the provider did not sign': all(
      by('payment-completed', sandbox),
      withReport('payment-completed', storedCallback(payment, signedReport)),
    ),
    'late money of another amount than the provider signed': all(
      by('late', sandbox),
      withReport('late', storedCallback(payment, lateReport('0.01'))),
    ),
    'a late status that the provider did not sign': after('late', {
      ...lateEvent('LateStatusReported', lateStatus('completed')),
      ...sandbox,
      report: storedCallback(payment, lateReport('5.00')),
    }),
    'a late correction that the provider did not sign': after('late', {
      ...lateEvent('LateLegCorrected', {
        currency: 'RUB',
        leg_id: 'l3',
        counted_amount: '5.00',
        reported_amount: '4.00',
        report_version: 2,
      }),
      ...sandbox,
      report: storedCallback(payment, lateReport('5.00')),
    }),
    'a correction that the provider did not sign': after('payment-leg', {
      ...inOperation(payment, 'LegCorrected', correction('l1', '40.00', 2)),
      ...sandbox,
      report: storedCallback(payment, signedReport),
    }),
    'a partial completion where the provider signed an open status': withReport(
      'payout-completed',
      storedCallback(payout, {
        ...signedReport,
        operation_id: payout,
        legs: [{ leg_id: 'p1', amount: '50.00' }],
      }),
    ),
    'a decline where the provider signed a completed status': after('payment-started', {
      ...inOperation(payment, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      ...sandbox,
      report: storedCallback(payment, { ...signedReport, status: 'completed' }),
    }),
    ...corruptionsFor<Data>(
      [
        { fx_rate: '0.012501' },
        { expires_at: '2031-01-31T12:30:00.000Z' },
        { provider_reference: 'another' },
      ],
      (terms) => [
        `an acceptance with ${JSON.stringify(terms)}, which the provider did not sign`,
        acceptedBySignature(terms),
      ],
    ),
    'money at another FX rate than the provider signed': all(
      hasRoute({ conversion }),
      changeRoute('payment-started', { conversion }),
      change('payment-accepted', { fx_rate: '0.025000' }),
      change('payment-completed', {
        recorded_amount: '2.50',
        settlement_amount: '2.44',
        commission_amount: '0.06',
      }),
      by('payment-completed', sandbox),
      withReport(
        'payment-completed',
        storedCallback(payment, {
          ...lateReport('5.00'),
          fx_rate: '0.0125',
          acceptance: 'accepted',
        }),
      ),
    ),
    'an acceptance at another FX rate than the provider signs with the first money': all(
      hasRoute({ conversion }),
      changeRoute('payment-started', { conversion }),
      change('payment-accepted', { fx_rate: '0.025000' }),
      withReport(
        'payment-leg',
        storedCallback(payment, { ...signedReport, acceptance: 'accepted', fx_rate: '0.0125' }),
      ),
    ),
    'a leg on another day than the provider signed': signedOnAnotherDay('payment-leg'),
    'a leg of a terminal status on another day than the provider signed':
      signedOnAnotherDay('payout-completed'),
    'late money on another day than the provider signed': signedOnAnotherDay('late'),
    'confirmed money on another day than the provider signed': signedOnAnotherDay('confirmed'),
    'returned money on another day than the provider signed': signedOnAnotherDay('returned'),
    'an attempt other than the one that the provider signed': withReport(
      'payment-leg',
      storedCallback(payment, { ...signedReport, attempt: 2 }),
    ),
    'a terminal status with a leg that the provider did not sign, in one append': by(
      'payment-completed',
      sandbox,
    ),
    'a missing callback of a client who was not erased': alteredCallback({ sealed: undefined }),
    'a callback without its body, although the key of its client opens': alteredCallback({
      sealed: undefined,
      unsealed: 'key_unreadable',
    }),
    'a callback without its body, and a key that does not open although older ones do': all(
      change('erased-key', unreadableKey),
      withReport('payout-completed', {
        ...storedCallback(payout, {}),
        sealed: undefined,
        unsealed: 'key_unreadable',
      }),
    ),
    'a callback under a key that does not open, although older ones do': change(
      'erased-key',
      unreadableKey,
    ),
    'a callback under the key of another client': withReport(
      'payment-leg',
      storedCallback(payment, signedReport, { keyId: erasedKey }),
    ),
    'a provider report without a callback': withReport('payout-completed', undefined),
    'a callback of one provider under the name of another': by('payment-leg', otherProvider),

    'more money confirmed than the provider signed': all(
      by('confirmed', sandbox),
      withReport(
        'confirmed',
        storedCallback(approved, {
          operation_id: approved,
          attempt: 1,
          status: 'open',
          legs: [signedLeg('m1', '59.00')],
        }),
      ),
    ),
    'a return of another amount than the provider signed': all(
      by('returned', sandbox),
      withReport(
        'returned',
        storedCallback(approved, {
          operation_id: approved,
          attempt: 1,
          status: 'open',
          legs: [],
          returns: [{ ...signedLeg('b1', '69.00'), of_leg_id: 'm1' }],
        }),
      ),
    ),
    'a correction of a return that the provider did not sign': all(
      by('returned', sandbox),
      withReport(
        'returned',
        storedCallback(approved, {
          operation_id: approved,
          attempt: 1,
          status: 'open',
          version: 9,
          legs: [],
          returns: [{ ...signedLeg('b1', '70.00'), of_leg_id: 'm1' }],
        }),
      ),
      correctedToZero('returned', { leg_id: 'b1', counted_amount: '70.00' }),
    ),
    'a body that is no JSON object': withReport('payment-leg', storedCallback(payment, [])),
    'a callback signed with a secret that was replaced long before': all(
      after('token', { ...accountAdded, ...aDayBefore }, { ...accountReplaced, ...aDayBefore }),
      atAccount,
      withReport('payment-leg', storedCallback(payment, signedReport, { secret: otherSecret })),
    ),
  },
} satisfies Corruptions;

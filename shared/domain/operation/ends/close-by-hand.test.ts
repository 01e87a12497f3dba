import { describe, expect, it } from 'vitest';
import { closeOperationByHand } from './close-by-hand.ts';
import { attemptsToWithdraw } from '../due-steps/withdrawals.ts';
import { recordAnswer } from '../attempts/provider-answer.ts';
import type { OperationEvent } from '../events.ts';
import { dueEntries } from '../due-steps/ledger-entries.ts';
import { applyReport } from '../reports/apply-report.ts';
import type { Operation, OperationState } from '../state.ts';
import { accepted, admitted, given, leg, noMoney, paid, route, started } from '../testing/given.ts';

const nowIso = '2026-01-31T13:00:00.000Z';
const closeManually = (state: OperationState, now = nowIso) =>
  closeOperationByHand(state, { note: 'nobody answers', nowIso: now });
const decided: OperationEvent = { type: 'CloseDecided', data: { note: 'nobody answers' } };
const part: OperationEvent = {
  type: 'LegReceived',
  data: { attempt: 1, leg: leg('leg-1', '60.00') },
};
const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...noMoney, reason: 'close' },
};

const payoutRoute = route({ type: 'payout' });
const unresolved: OperationEvent[] = [
  admitted({ type: 'payout' }),
  started(1, payoutRoute),
  { type: 'ReservationRequested', data: { reservation: 1, currency: 'RUB', amount: '102.50' } },
  { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } },
  { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
];

describe('manual close (R13.11)', () => {
  it('completes a payment with money partially, and withdraws the attempt (R13.12)', () => {
    const { state } = given(admitted(), started(), accepted(), part)
      .when(closeManually)
      .thenEvents(decided, {
        type: 'OperationPartiallyCompleted',
        data: { ...paid('60.00', '1.50', '58.50'), legs: [] },
      });
    expect(attemptsToWithdraw(state as Operation)).toEqual([1]);
  });

  it('declines an unresolved payout, and releases its reservation (R13.12)', () => {
    const { state } = given(...unresolved)
      .when(closeManually)
      .thenEvents(decided, declined);
    expect(state).toMatchObject({ status: 'declined', declineCause: 'close', webhooks: 1 });
    expect(dueEntries(state as Operation)).toMatchObject([{ kind: 'release', reservation: 1 }]);
    expect(attemptsToWithdraw(state as Operation)).toEqual([1]);
  });

  it('is not undone by a later acceptance, whose money is late (R13.12)', () => {
    const { state } = given(...unresolved, decided, declined);
    const answer = { outcome: 'accepted', providerReference: 'ref' } as const;
    expect(recordAnswer(state, { attempt: 1, answer, routes: [], timeIsUp: false })).toEqual({
      refusal: { code: 'attempt_overtaken' },
    });
    const late = leg('leg-1', '100.00');
    expect(applyReport(state, { attempt: 1, status: 'completed', legs: [late] })).toEqual({
      events: [],
      late: [
        { kind: 'late_money', leg: late },
        { kind: 'late_status', status: 'completed' },
      ],
    });
  });

  const uploaded: OperationEvent = {
    type: 'ReceiptUploaded',
    data: { receipt_id: 'receipt-1', sha256: 'hash', size_bytes: 1, pdf: true },
  };
  const awaiting = [admitted(), started(), accepted(1, { confirmation_required: true })];
  it.each<[string, OperationEvent[], string?]>([
    ['does not exist', []],
    ['is terminal', [...unresolved, decided, declined]],
    ['is being created', [admitted(), started()]],
    ['is still within its acceptance wait', unresolved, '2026-01-31T12:00:14.999Z'],
    ['has a receipt under review', [...awaiting, uploaded]],
    [
      'has a manual check',
      [...awaiting, uploaded, { type: 'ManualCheckStarted', data: { receipt_id: 'receipt-1' } }],
    ],
  ])('is refused if the operation %s', (_, history, now) => {
    expect(closeManually(given(...history).state, now)).toEqual({
      refusal: { code: 'close_not_allowed' },
    });
  });
});

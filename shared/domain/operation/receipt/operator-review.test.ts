import { describe, expect, it } from 'vitest';
import { uploadReceipt } from './upload.ts';
import { decideReview, type OperatorReview } from './operator-review.ts';
import { attemptsToWithdraw } from '../due-steps/withdrawals.ts';
import type { OperationEvent } from '../events.ts';
import type { Operation } from '../state.ts';
import { given, leg, noMoney, paid } from '../testing/given.ts';
import { awaiting, receipt, uploaded, notAPdf, checked } from '../testing/receipts.ts';

describe('operator’s review (R9.9)', () => {
  const by = (
    decision: OperatorReview['decision'],
    actualAmount = '100.00',
    mayExceed = false,
  ): OperatorReview => ({
    decision,
    actualAmount,
    mayExceed,
    note: 'seen',
    legId: 'leg-o',
    nowIso: '2026-01-31T12:05:00.000Z',
  });
  const decided = (
    decision: OperatorReview['decision'],
    actual_amount?: string,
  ): OperationEvent => ({
    type: 'ReviewDecided',
    data: {
      receipt_id: 'receipt-1',
      decision,
      ...(actual_amount && { actual_amount }),
      note: 'seen',
    },
  });
  const approvedLeg = (amount: string) => ({
    leg_id: 'leg-o',
    amount,
    completed_at: '2026-01-31T12:05:00.000Z',
    file: false,
    synthetic: true as const,
  });
  const completed: OperationEvent = {
    type: 'OperationCompleted',
    data: { ...paid('100.00', '2.50', '97.50'), legs: [approvedLeg('100.00')] },
  };
  const flagged = given(...awaiting, uploaded, checked('potential_fake'));
  const unreadable = given(...awaiting, notAPdf, checked('not_terminal'));

  it('approves the expected amount before the provider reports it', () => {
    const { state } = flagged
      .when(decideReview, by('approve'))
      .thenEvents(decided('approve', '100.00'), completed);
    expect(attemptsToWithdraw(state as Operation)).toEqual([]);
  });

  it('approves a part, but not less than has been received', () => {
    const part: OperationEvent = {
      type: 'LegReceived',
      data: { attempt: 1, leg: leg('leg-1', '40.00') },
    };
    given(...awaiting, uploaded, checked(), part)
      .when(decideReview, by('approve', '60.00'))
      .thenEvents(decided('approve', '60.00'), {
        type: 'OperationPartiallyCompleted',
        data: { ...paid('60.00', '1.50', '58.50'), legs: [approvedLeg('20.00')] },
      });
    given(...awaiting, uploaded, checked(), part)
      .when(decideReview, by('approve', '39.99'))
      .thenRefused('amount_below_received');
  });

  it('approves no amount with more decimals than the currency has (R3.3)', () => {
    const inYen = [...awaiting, uploaded, checked()].map((event) =>
      event.type === 'OperationAdmitted'
        ? { ...event, data: { ...event.data, request: { ...event.data.request, currency: 'JPY' } } }
        : event,
    );
    given(...inYen)
      .when(decideReview, by('approve', '60.50'))
      .thenRefused('amount_unfit');
  });

  it('approves more than expected only with permission (R9.10)', () => {
    flagged.when(decideReview, by('approve', '100.01')).thenRefused('amount_above_expected');
    const { state } = flagged
      .when(decideReview, by('approve', '100.01', true))
      .thenEvents(decided('approve', '100.01'), {
        type: 'OperationCompleted',
        data: { ...paid('100.01', '2.50', '97.51'), legs: [approvedLeg('100.01')] },
      });
    expect(state).toMatchObject({ status: 'completed' });
  });

  it('declines without money', () => {
    const { state } = flagged.when(decideReview, by('decline')).thenEvents(decided('decline'), {
      type: 'OperationDeclined',
      data: { ...noMoney, reason: 'review' },
    });
    expect(state).toMatchObject({ status: 'declined', declineCause: 'review' });
    expect(attemptsToWithdraw(state as Operation)).toEqual([1]);
  });

  it('asks for another receipt only if this one could not be validated, with a webhook', () => {
    flagged.when(decideReview, by('ask_again')).thenRefused('review_not_allowed');
    const askedAgain = unreadable
      .when(decideReview, by('ask_again'))
      .thenEvents(decided('ask_again'));
    expect(askedAgain.state).toMatchObject({ status: 'awaiting_confirmation', webhooks: 2 });
    askedAgain
      .when(uploadReceipt, { ...receipt, receiptId: 'receipt-2', sha256: 'hash-2' })
      .thenEvents({
        ...uploaded,
        data: { ...uploaded.data, receipt_id: 'receipt-2', sha256: 'hash-2' },
      });
  });

  it('applies only to the receipt that the operator saw (R9.9)', () => {
    const seen = { ...by('approve'), receiptId: 'receipt-1' };
    unreadable.when(decideReview, seen).thenEvents(decided('approve', '100.00'), completed);
    const second = { receipt_id: 'receipt-2' };
    const another = given(
      ...awaiting,
      notAPdf,
      checked('not_terminal'),
      decided('ask_again'),
      { ...uploaded, data: { ...uploaded.data, ...second, sha256: 'hash-2' } },
      { type: 'ManualCheckStarted', data: { ...second, reason: 'potential_fake' } },
    );
    for (const decision of ['approve', 'decline', 'ask_again'] as const)
      another
        .when(decideReview, { ...by(decision), receiptId: 'receipt-1' })
        .thenRefused('another_receipt');
    another.when(decideReview, { ...seen, receiptId: 'receipt-2' }).thenEvents(
      {
        type: 'ReviewDecided',
        data: { ...second, decision: 'approve', actual_amount: '100.00', note: 'seen' },
      },
      completed,
    );
  });

  it('is refused without a manual check', () => {
    given(...awaiting, uploaded)
      .when(decideReview, by('approve'))
      .thenRefused('review_not_allowed');
  });
});

import { describe, expect, it } from 'vitest';
import { noteSubmitted, receiptToSubmit, review, uploadReceipt, type Review } from './confirm.ts';
import { attemptsToWithdraw } from './create.ts';
import type { OperationEvent } from './events.ts';
import { applyReport, expire, type ProviderReport, type ReportedReview } from './settle.ts';
import type { Operation, OperationState } from './state.ts';
import { accepted, admitted, given, leg, noMoney, route, started } from './testing/given.ts';
import { viewOperation } from './view.ts';

const awaiting = [
  admitted(),
  started(1, route({ requires_receipt: true })),
  accepted(1, { confirmation_required: true, expires_at: '2026-01-31T12:30:00.000Z' }),
] as const;
const receipt = { receiptId: 'receipt-1', sha256: 'hash-1', sizeBytes: 10, pdf: true };
const uploaded: OperationEvent = {
  type: 'ReceiptUploaded',
  data: { receipt_id: 'receipt-1', sha256: 'hash-1', size_bytes: 10, pdf: true },
};
const notAPdf: OperationEvent = { ...uploaded, data: { ...uploaded.data, pdf: false } };
const submitted: OperationEvent = {
  type: 'ReceiptSubmitted',
  data: { receipt_id: 'receipt-1', attempt: 1, taken: true },
};
const checked = (reason?: 'potential_fake' | 'not_terminal'): OperationEvent => ({
  type: 'ManualCheckStarted',
  data: { receipt_id: 'receipt-1', ...(reason && { reason }) },
});
const figures = { recorded_amount: '100.00', settlement_amount: '97.50', commission_amount: '2.50' };

describe('an upload (R9.4)', () => {
  it('is taken where a receipt is expected, and leaves the status as it is', () => {
    const { state } = given(...awaiting)
      .when((current) => uploadReceipt(current, receipt))
      .thenEvents(uploaded);
    expect(state).toMatchObject({ status: 'awaiting_confirmation', webhooks: 1 });
    expect(receiptToSubmit(state)).toBe('receipt-1');
  });

  it('of a file that is no PDF waits for a person, for a reason that is no suspicion', () => {
    const { state } = given(...awaiting)
      .when((current) => uploadReceipt(current, { ...receipt, pdf: false }))
      .thenEvents(notAPdf, checked('not_terminal'));
    expect(viewOperation(state as Operation)).toMatchObject({
      status: 'manual_check',
      manual_check_reason: 'not_terminal',
    });
  });

  it('of the same bytes adds nothing, during the review and after the end', () => {
    const declined: OperationEvent = { type: 'OperationDeclined', data: { ...noMoney, reason: 'review' } };
    for (const more of [[], [checked()], [declined]]) {
      given(...awaiting, uploaded, ...more)
        .when((state) => uploadReceipt(state, { ...receipt, receiptId: 'receipt-2' }))
        .thenNothing();
    }
  });

  it('of other bytes is refused during the review, after the end and where none is expected', () => {
    const other = { ...receipt, sha256: 'hash-2' };
    const expired: OperationEvent = { type: 'OperationExpired', data: noMoney };
    for (const history of [
      [],
      [admitted(), started(), accepted()],
      [...awaiting, uploaded],
      [...awaiting, uploaded, checked()],
      [...awaiting, expired],
    ]) {
      given(...history)
        .when((state) => uploadReceipt(state, other))
        .thenRefused('confirmation_not_expected');
    }
  });
});

describe('the provider’s answer to an upload', () => {
  it('is noted once', () => {
    given(...awaiting, uploaded)
      .when((state) => noteSubmitted(state, { receiptId: 'receipt-1', taken: true }))
      .thenEvents(submitted)
      .when((state) => noteSubmitted(state, { receiptId: 'receipt-1', taken: true }))
      .thenNothing();
  });

  it('that it takes none leaves the decision to a person', () => {
    const refused = { ...submitted, data: { ...submitted.data, taken: false } } as OperationEvent;
    given(...awaiting, uploaded)
      .when((state) => noteSubmitted(state, { receiptId: 'receipt-1', taken: false }))
      .thenEvents(refused, checked('not_terminal'));
  });
});

describe('the provider’s review', () => {
  const reported = (reviewed: Partial<ReportedReview>, more: Partial<ProviderReport> = {}) => ({
    attempt: 1,
    status: 'open' as const,
    legs: [],
    review: { receiptId: 'receipt-1', state: 'flagged' as const, ...reviewed },
    ...more,
  });

  it('that flags gives manual_check, with potential_fake where no reason was given', () => {
    const { state } = given(...awaiting, uploaded)
      .when((current) => applyReport(current, reported({})))
      .thenEvents(checked());
    expect(viewOperation(state as Operation)?.manual_check_reason).toBe('potential_fake');
    given(...awaiting, uploaded)
      .when((current) => applyReport(current, reported({ reason: 'not_terminal' })))
      .thenEvents(checked('not_terminal'));
  });

  it('that comes again adds nothing, and another reason does', () => {
    const history = given(...awaiting, uploaded, checked('potential_fake'));
    history.when((state) => applyReport(state, reported({ reason: 'potential_fake' }))).thenNothing();
    history
      .when((state) => applyReport(state, reported({ reason: 'not_terminal' })))
      .thenEvents(checked('not_terminal'));
  });

  it('of an earlier receipt says nothing of the one that is expected now', () => {
    const askedAgain: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id: 'receipt-1', decision: 'ask_again', note: 'blurred' },
    };
    given(...awaiting, uploaded, checked('not_terminal'), askedAgain)
      .when((state) => applyReport(state, reported({})))
      .thenNothing();
  });

  it('that approves completes with the money, and one that declines ends as review', () => {
    const paid = { status: 'completed', legs: [leg('leg-1', '100.00')] } as const;
    given(...awaiting, uploaded)
      .when((state) => applyReport(state, reported({ state: 'approved' }, paid)))
      .thenEvents({
        type: 'OperationCompleted',
        data: { actual_amount: '100.00', ...figures, legs: [leg('leg-1', '100.00')] },
      });
    given(...awaiting, uploaded)
      .when((state) => applyReport(state, reported({ state: 'declined' }, { status: 'declined' })))
      .thenEvents({ type: 'OperationDeclined', data: { ...noMoney, reason: 'review' } });
  });

  it('keeps the window open', () => {
    given(...awaiting, uploaded)
      .when((state) => expire(state, '2036-01-31T12:00:00.000Z'))
      .thenNothing();
  });

  it('is not ended by an expiry that the provider reports: a person decides, also where money came in part', () => {
    const expired =
      (...legs: ProviderReport['legs']) =>
      (state: OperationState) =>
        applyReport(state, { attempt: 1, status: 'expired', legs });
    given(...awaiting, uploaded, checked())
      .when(expired())
      .thenNothing();
    const waits = given(...awaiting, uploaded)
      .when(expired())
      .thenEvents(checked('not_terminal'));
    waits.when(expired()).thenNothing();
    given(...awaiting, uploaded)
      .when(expired(leg('a', '60.00')))
      .thenEvents(
        { type: 'LegReceived', data: { attempt: 1, leg: leg('a', '60.00') } },
        checked('not_terminal'),
      );
    // Before a receipt came the window's end is the payment's, and all the money completes it at any time.
    given(...awaiting)
      .when(expired())
      .thenEvents({ type: 'OperationExpired', data: noMoney });
    const { events } = expired(leg('a', '100.00'))(given(...awaiting, uploaded).state);
    expect(events.map(({ type }) => type)).toEqual(['OperationCompleted']);
  });
});

describe('an operator’s review (R9.9)', () => {
  const by = (decision: Review['decision'], actualAmount = '100.00', mayExceed = false): Review => ({
    decision,
    actualAmount,
    mayExceed,
    note: 'seen',
    legId: 'leg-o',
    nowIso: '2026-01-31T12:05:00.000Z',
  });
  const decided = (decision: Review['decision'], actual_amount?: string): OperationEvent => ({
    type: 'ReviewDecided',
    data: { receipt_id: 'receipt-1', decision, ...(actual_amount && { actual_amount }), note: 'seen' },
  });
  const approvedLeg = (amount: string) => ({
    leg_id: 'leg-o',
    amount,
    completed_at: '2026-01-31T12:05:00.000Z',
    file: false,
    synthetic: true as const,
  });
  const flagged = given(...awaiting, uploaded, checked('potential_fake'));
  const unreadable = given(...awaiting, notAPdf, checked('not_terminal'));

  it('approves with the expected amount, and leaves the provider to bring it', () => {
    const { state } = flagged
      .when((current) => review(current, by('approve')))
      .thenEvents(decided('approve', '100.00'), {
        type: 'OperationCompleted',
        data: { actual_amount: '100.00', ...figures, legs: [approvedLeg('100.00')] },
      });
    expect(attemptsToWithdraw(state as Operation)).toEqual([]);
  });

  it('approves with less as partially completed, counting money that has come', () => {
    const part: OperationEvent = { type: 'LegReceived', data: { attempt: 1, leg: leg('leg-1', '40.00') } };
    given(...awaiting, uploaded, checked(), part)
      .when((state) => review(state, by('approve', '60.00')))
      .thenEvents(decided('approve', '60.00'), {
        type: 'OperationPartiallyCompleted',
        data: {
          actual_amount: '60.00',
          recorded_amount: '60.00',
          settlement_amount: '58.50',
          commission_amount: '1.50',
          legs: [approvedLeg('20.00')],
        },
      });
    given(...awaiting, uploaded, checked(), part)
      .when((state) => review(state, by('approve', '39.99')))
      .thenRefused('amount_below_received');
  });

  it('approves more than was expected for whoever may say so, and for nobody else', () => {
    flagged.when((state) => review(state, by('approve', '100.01'))).thenRefused('amount_above_expected');
    const { state } = flagged
      .when((current) => review(current, by('approve', '100.01', true)))
      .thenEvents(decided('approve', '100.01'), {
        type: 'OperationCompleted',
        data: {
          actual_amount: '100.01',
          recorded_amount: '100.01',
          settlement_amount: '97.51',
          commission_amount: '2.50',
          legs: [approvedLeg('100.01')],
        },
      });
    expect(state).toMatchObject({ status: 'completed' });
  });

  it('declines without money', () => {
    const { state } = flagged
      .when((current) => review(current, by('decline')))
      .thenEvents(decided('decline'), { type: 'OperationDeclined', data: { ...noMoney, reason: 'review' } });
    expect(state).toMatchObject({ status: 'declined', declineReason: 'review' });
    expect(attemptsToWithdraw(state as Operation)).toEqual([1]);
  });

  it('asks again only where the receipt could not be validated, which is a webhook of its own', () => {
    flagged.when((state) => review(state, by('ask_again'))).thenRefused('review_not_allowed');
    const asked = unreadable.when((state) => review(state, by('ask_again'))).thenEvents(decided('ask_again'));
    expect(asked.state).toMatchObject({ status: 'awaiting_confirmation', webhooks: 2 });
    asked
      .when((state) => uploadReceipt(state, { ...receipt, receiptId: 'receipt-2', sha256: 'hash-2' }))
      .thenEvents({
        ...uploaded,
        data: { ...uploaded.data, receipt_id: 'receipt-2', sha256: 'hash-2' },
      });
  });

  it('is refused where nothing is under manual check', () => {
    given(...awaiting, uploaded)
      .when((state) => review(state, by('approve')))
      .thenRefused('review_not_allowed');
  });
});

import { describe, expect, it } from 'vitest';
import { report } from '../testing/reports.ts';
import type { OperationEvent } from '../events.ts';
import { applyReport } from '../reports/apply-report.ts';
import { expireOperation } from '../ends/expiry.ts';
import type { ProviderReport, ReportedReview } from '../reports/report.ts';
import type { Operation } from '../state.ts';
import { given, leg, noMoney, paid } from '../testing/given.ts';
import { viewOperation } from '../view.ts';
import { awaiting, uploaded, checked } from '../testing/receipts.ts';

describe('provider’s review', () => {
  const reported = (reviewed: Partial<ReportedReview>, more: Partial<ProviderReport> = {}) => ({
    attempt: 1,
    status: 'open' as const,
    legs: [],
    review: { receiptId: 'receipt-1', state: 'flagged' as const, ...reviewed },
    ...more,
  });

  it('starts a manual check if it flags, with potential_fake as the default reason (R5.9)', () => {
    const { state } = given(...awaiting, uploaded)
      .when(applyReport, reported({}))
      .thenEvents(checked());
    expect(viewOperation(state as Operation)?.manual_check_reason).toBe('potential_fake');
    given(...awaiting, uploaded)
      .when(applyReport, reported({ reason: 'not_terminal' }))
      .thenEvents(checked('not_terminal'));
  });

  it('adds nothing when repeated, unless the reason changes', () => {
    const history = given(...awaiting, uploaded, checked('potential_fake'));
    history.when(applyReport, reported({ reason: 'potential_fake' })).thenNothing();
    history
      .when(applyReport, reported({ reason: 'not_terminal' }))
      .thenEvents(checked('not_terminal'));
  });

  it('is ignored if it is of an earlier receipt', () => {
    const askedAgain: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id: 'receipt-1', decision: 'ask_again', note: 'blurred' },
    };
    given(...awaiting, uploaded, checked('not_terminal'), askedAgain)
      .when(applyReport, reported({}))
      .thenNothing();
  });

  it('completes the payment if it approves, and declines it for review if it declines', () => {
    const completed = { status: 'completed', legs: [leg('leg-1', '100.00')] } as const;
    given(...awaiting, uploaded)
      .when((state) => applyReport(state, reported({ state: 'approved' }, completed)))
      .thenEvents({
        type: 'OperationCompleted',
        data: { ...paid('100.00', '2.50', '97.50'), legs: [leg('leg-1', '100.00')] },
      });
    given(...awaiting, uploaded)
      .when((state) => applyReport(state, reported({ state: 'declined' }, { status: 'declined' })))
      .thenEvents({ type: 'OperationDeclined', data: { ...noMoney, reason: 'review' } });
  });

  it('keeps the payment from expiring', () => {
    given(...awaiting, uploaded)
      .when(expireOperation, '2036-01-31T12:00:00.000Z')
      .thenNothing();
  });

  it.each(['expired', 'withdrawn'] as const)(
    'is not ended by a report of %s: an operator decides, also on partial money (R6.7)',
    (status) => {
      given(...awaiting, uploaded, checked())
        .when(report(status))
        .thenNothing();
      const waits = given(...awaiting, uploaded)
        .when(report(status))
        .thenEvents(checked('not_terminal'));
      waits.when(report(status)).thenNothing();
      given(...awaiting, uploaded)
        .when(report(status, leg('a', '60.00')))
        .thenEvents(
          { type: 'LegReceived', data: { attempt: 1, leg: leg('a', '60.00') } },
          checked('not_terminal'),
        );
      // Without a receipt the payment expires. The full amount completes it at any time.
      given(...awaiting)
        .when(report(status))
        .thenEvents({ type: 'OperationExpired', data: noMoney });
      const { events } = report(status, leg('a', '100.00'))(given(...awaiting, uploaded).state);
      expect(events.map(({ type }) => type)).toEqual(['OperationCompleted']);
    },
  );
});

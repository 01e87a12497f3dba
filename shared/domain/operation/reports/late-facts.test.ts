import { describe, expect, it } from 'vitest';
import { live, report } from '../testing/reports.ts';
import { applyReport } from './apply-report.ts';
import type { ProviderReport } from './report.ts';
import { accepted, admitted, given, leg, noMoney, paid, started } from '../testing/given.ts';

describe('late facts of a provider’s report', () => {
  it('replace events after the terminal status (R13.7)', () => {
    const ended = live()
      .when(report('expired'))
      .thenEvents({ type: 'OperationExpired', data: noMoney });
    expect(report('completed', leg('a', '100.00'))(ended.state)).toEqual({
      events: [],
      late: [
        { kind: 'late_money', leg: leg('a', '100.00') },
        { kind: 'late_status', status: 'completed' },
      ],
    });
    expect(report('expired')(ended.state)).toEqual({ events: [], late: [] });
  });

  it('are only the money if the status without money is repeated', () => {
    for (const [status, end] of [
      ['declined', { type: 'OperationDeclined', data: { ...noMoney, reason: 'provider' } }],
      ['expired', { type: 'OperationExpired', data: noMoney }],
    ] as const) {
      const { state } = live().when(report(status)).thenEvents(end);
      expect(report(status, leg('a', '12.34'))(state)).toEqual({
        events: [],
        late: [{ kind: 'late_money', leg: leg('a', '12.34') }],
      });
    }
  });

  it('are empty after a partial completion without new money', () => {
    const part = report('expired', leg('a', '60.00'));
    const ended = live()
      .when(part)
      .thenEvents({
        type: 'OperationPartiallyCompleted',
        data: { ...paid('60.00', '1.50', '58.50'), legs: [leg('a', '60.00')] },
      });
    expect(part(ended.state)).toEqual({ events: [], late: [] });
    expect(report('declined')(ended.state)).toEqual({ events: [], late: [] });
    expect(report('completed')(ended.state)).toEqual({ events: [], late: [] });
  });

  it('are money, or a claim of money, on another attempt (R13.8)', () => {
    const second = given(
      admitted(),
      started(1),
      { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
      started(2),
      accepted(2),
    ).state;
    const reportOnFirst = (status: ProviderReport['status'], ...legs: ProviderReport['legs']) =>
      applyReport(second, { attempt: 1, status, legs });
    expect(reportOnFirst('declined')).toEqual({ events: [], late: [] });
    expect(reportOnFirst('expired')).toEqual({ events: [], late: [] });
    expect(reportOnFirst('completed', leg('a', '1.00'))).toEqual({
      events: [],
      late: [
        { kind: 'late_money', leg: leg('a', '1.00') },
        { kind: 'late_status', status: 'completed' },
      ],
    });
  });
});

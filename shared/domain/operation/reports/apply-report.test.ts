import { describe, expect, it } from 'vitest';
import { live, report } from '../testing/reports.ts';
import { applyReport } from './apply-report.ts';
import { expireOperation } from '../ends/expiry.ts';
import type { ProviderReport } from './report.ts';
import type { OperationState } from '../state.ts';
import { accepted, admitted, given, leg, noMoney, paid, route, started } from '../testing/given.ts';

describe('provider’s report', () => {
  it('completes with the received money, net of commission', () => {
    live()
      .when(report('completed', leg('a', '100.00')))
      .thenEvents({
        type: 'OperationCompleted',
        data: { ...paid('100.00', '2.50', '97.50'), legs: [leg('a', '100.00')] },
      });
  });

  it('records partial money, and completes with the rest (R6.5)', () => {
    live()
      .when(report('open', leg('a', '60.00')))
      .thenEvents({ type: 'LegReceived', data: { attempt: 1, leg: leg('a', '60.00') } })
      .when(report('open', leg('a', '60.00'), leg('b', '40.00')))
      .thenEvents({
        type: 'OperationCompleted',
        data: { ...paid('100.00', '2.50', '97.50'), legs: [leg('b', '40.00')] },
      });
  });

  it('completes partially if it is terminal with less than expected', () => {
    live()
      .when(report('expired', leg('a', '60.00')))
      .thenEvents({
        type: 'OperationPartiallyCompleted',
        data: { ...paid('60.00', '1.50', '58.50'), legs: [leg('a', '60.00')] },
      });
  });

  it.each(['declined', 'expired', 'withdrawn'] as const)(
    'completes with the full amount despite the status %s (R6.4, R13.9)',
    (status) => {
      const ended = live()
        .when(report(status, leg('a', '60.00'), leg('b', '50.00')))
        .thenEvents({
          type: 'OperationCompleted',
          data: {
            ...paid('110.00', '2.75', '107.25'),
            legs: [leg('a', '60.00'), leg('b', '50.00')],
          },
        });
      // The contradiction is a late fact, whose repeat recordLate ignores.
      const late = status === 'withdrawn' ? [] : [{ kind: 'late_status', status }];
      expect(report(status, leg('a', '60.00'), leg('b', '50.00'))(live().state).late).toEqual(late);
      const again = report(status, leg('a', '60.00'), leg('b', '50.00'))(ended.state);
      expect(again).toEqual({ events: [], late });
    },
  );

  it('declines or expires without money, with zero figures', () => {
    live()
      .when(report('declined'))
      .thenEvents({ type: 'OperationDeclined', data: { ...noMoney, reason: 'provider' } });
    live().when(report('expired')).thenEvents({ type: 'OperationExpired', data: noMoney });
  });

  it('adds nothing if it is repeated or out of order (R13.1)', () => {
    const again = live()
      .when(report('open', leg('a', '60.00'), leg('b', '10.00')))
      .thenEvents(
        { type: 'LegReceived', data: { attempt: 1, leg: leg('a', '60.00') } },
        { type: 'LegReceived', data: { attempt: 1, leg: leg('b', '10.00') } },
      );
    again.when(report('open', leg('a', '60.00'))).thenNothing();
    again.when(report('open', leg('a', '60.00'), leg('b', '10.00'))).thenNothing();
  });

  it('counts a repeated leg once (R13.2)', () => {
    live()
      .when(report('open', leg('a', '60.00'), leg('a', '60.00')))
      .thenEvents({ type: 'LegReceived', data: { attempt: 1, leg: leg('a', '60.00') } });
  });

  it('settles in the ledger currency on a converting route (R11.6)', () => {
    const converting = route({ conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } });
    given(admitted(), started(1, converting), accepted(1, { fx_rate: '0.012500' }))
      .when(report('completed', leg('a', '100.00')))
      .thenEvents({
        type: 'OperationCompleted',
        data: {
          actual_amount: '100.00',
          recorded_amount: '1.25',
          commission_amount: '0.03',
          settlement_amount: '1.22',
          legs: [leg('a', '100.00')],
        },
      });
  });

  it('is ignored without an operation', () => {
    expect(report('completed', leg('a', '1.00'))({ phase: 'none', revision: -1 })).toEqual({
      events: [],
      late: [],
    });
  });
});

describe('numbered reports of a provider', () => {
  const numbered =
    (version: number, status: ProviderReport['status'], ...legs: ProviderReport['legs']) =>
    (state: OperationState) =>
      applyReport(state, { attempt: 1, version, status, legs });
  const received = (id: string, amount: string, report_version: number) =>
    ({ type: 'LegReceived', data: { attempt: 1, leg: leg(id, amount), report_version } }) as const;
  const corrected = (id: string, [was, now]: [string, string], report_version: number) =>
    ({
      type: 'LegCorrected',
      data: { attempt: 1, leg: leg(id, now), was, report_version },
    }) as const;
  const sixty = [
    admitted(),
    started(),
    accepted(1, { expires_at: '2026-01-31T12:30:00.000Z' }),
    received('a', '60.00', 2),
  ];

  it('apply the newest correction before the terminal status (R13.3)', () => {
    given(...sixty)
      .when(numbered(3, 'open', leg('a', '6.00')))
      .thenEvents(corrected('a', ['60.00', '6.00'], 3))
      .when(numbered(4, 'partially_completed', leg('a', '7.00')))
      .thenEvents(corrected('a', ['6.00', '7.00'], 4), {
        type: 'OperationPartiallyCompleted',
        data: { ...paid('7.00', '0.18', '6.82'), report_version: 4, legs: [] },
      });
  });

  it('are not recorded without a change, so an older one applies until they repeat (R13.3)', () => {
    const begun = given(admitted(), started(), accepted());
    begun.when(numbered(3, 'open')).thenNothing();
    begun
      .when(numbered(2, 'open', leg('a', '60.00')))
      .thenEvents(received('a', '60.00', 2))
      .when(numbered(3, 'open'))
      .thenEvents(corrected('a', ['60.00', '0.00'], 3));
    // An older report may even complete it: the newer one is then late (late/record.test.ts).
    const late = numbered(2, 'completed', leg('a', '100.00'))(begun.state);
    expect(late.events).toMatchObject([{ type: 'OperationCompleted' }]);
  });

  it('remove the money of an omitted leg until it is back', () => {
    const gone = given(...sixty)
      .when(numbered(3, 'open'))
      .thenEvents(corrected('a', ['60.00', '0.00'], 3));
    gone
      .when(numbered(4, 'expired'))
      .thenEvents({ type: 'OperationExpired', data: { ...noMoney, report_version: 4 } });
    gone
      .when(expireOperation, '2026-01-31T13:00:00.000Z')
      .thenEvents({ type: 'OperationExpired', data: noMoney });
    gone
      .when(numbered(4, 'open', leg('a', '60.00')))
      .thenEvents(corrected('a', ['0.00', '60.00'], 4));
  });

  it('are ignored if they are older', () => {
    const now = given(...sixty)
      .when(numbered(4, 'open', leg('a', '6.00')))
      .thenEvents(corrected('a', ['60.00', '6.00'], 4));
    now.when(numbered(3, 'completed', leg('a', '60.00'), leg('b', '40.00'))).thenNothing();
    now.when(numbered(4, 'open', leg('a', '6.00'))).thenNothing();
    const ended = now.when(numbered(5, 'declined', leg('a', '6.00'))).thenEvents({
      type: 'OperationPartiallyCompleted',
      data: { ...paid('6.00', '0.15', '5.85'), report_version: 5, legs: [] },
    });
    expect(numbered(4, 'completed', leg('a', '6.00'), leg('b', '94.00'))(ended.state)).toEqual({
      events: [],
      late: [],
    });
  });

  it('are required for a correction', () => {
    given(...sixty)
      .when(report('open', leg('a', '6.00')))
      .thenNothing();
  });
});

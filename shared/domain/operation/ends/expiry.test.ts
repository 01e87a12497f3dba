import { describe, it } from 'vitest';
import { live, report } from '../testing/reports.ts';
import { expireOperation } from './expiry.ts';
import { accepted, admitted, given, leg, noMoney, route, started } from '../testing/given.ts';

describe('expiry', () => {
  it('ends a payment whose window ran out without money', () => {
    live().when(expireOperation, '2026-01-31T12:29:59.999Z').thenNothing();
    live()
      .when(expireOperation, '2026-01-31T12:30:00.000Z')
      .thenEvents({ type: 'OperationExpired', data: noMoney });
  });

  it('does not apply to payouts: a provider may pay after its own deadline (R6.8)', () => {
    const expiring = accepted(1, { expires_at: '2026-01-31T12:30:00.000Z' });
    given(admitted({ type: 'payout' }), started(1, route({ type: 'payout' })), expiring)
      .when(expireOperation, '2026-01-31T13:00:00.000Z')
      .thenNothing();
  });

  it('does not end a payment that has part of its money', () => {
    live()
      .when(report('open', leg('a', '60.00')))
      .thenEvents({ type: 'LegReceived', data: { attempt: 1, leg: leg('a', '60.00') } })
      .when(expireOperation, '2026-01-31T13:00:00.000Z')
      .thenNothing();
  });
});

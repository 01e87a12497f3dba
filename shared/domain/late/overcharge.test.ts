import { describe, expect, it } from 'vitest';
import type { OperationEvent } from '../operation/events.ts';
import { fold } from '../operation/evolve.ts';
import { allSupported } from '../operation/due-steps/withdrawals.ts';
import { findOvercharge } from '../operation/due-steps/overcharge.ts';
import { dueSteps } from '../operation/due-steps/steps.ts';
import { applyReport } from '../operation/reports/apply-report.ts';
import type { Operation } from '../operation/state.ts';
import { accepted, admitted, leg, route, started } from '../operation/testing/given.ts';
import { decodeLateEvent } from './events.ts';
import { recordOvercharge } from './overcharge.ts';
import { evolveLate } from './record.ts';
import { nothingLate } from './state.ts';

const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' } as const;

/** A payout of 100.00 at 2.50 % that delivered this amount, quoted and accepted at these rates. */
function payout(delivered: string, rates: { quote?: string; rate?: string } = {}): Operation {
  const { quote, rate } = rates;
  const by = route({ type: 'payout', ...(quote !== undefined && { conversion }) });
  const [currency, amount] = quote === undefined ? ['RUB', '102.50'] : ['USD', '1.28'];
  const fx = quote !== undefined && { fx_rate: quote };
  const events: OperationEvent[] = [
    admitted({ type: 'payout' }),
    started(1, by),
    { type: 'ReservationRequested', data: { reservation: 1, currency, amount, ...fx } },
    { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } },
    accepted(1, { ...(rate !== undefined && { fx_rate: rate }) }),
  ];
  const report = {
    attempt: 1,
    status: 'completed',
    legs: delivered === '0.00' ? [] : [leg('l', delivered)],
  } as const;
  const ended = applyReport(
    fold(events),
    delivered === '0.00' ? { ...report, status: 'declined' } : report,
  );
  return fold([...events, ...ended.events]) as Operation;
}

describe('overcharge', () => {
  it.each([
    [
      'delivered more than requested',
      payout('110.00'),
      { currency: 'RUB', agreed: '102.50', charged: '112.75' },
    ],
    [
      'was accepted at a worse rate than quoted',
      payout('100.00', { quote: '0.012500', rate: '0.013500' }),
      { currency: 'USD', agreed: '1.28', charged: '1.38' },
    ],
    [
      'delivered a part at a worse rate',
      payout('50.00', { quote: '0.012500', rate: '0.020000' }),
      { currency: 'USD', agreed: '0.65', charged: '1.03' },
    ],
    [
      'delivered more at a lower cost',
      payout('110.00', { quote: '0.012500', rate: '0.006000' }),
      { currency: 'USD', agreed: '1.28', charged: '0.68' },
    ],
  ])('is recorded once for a payout that %s (R12.16)', (_, operation, overcharge) => {
    expect(findOvercharge(operation)).toEqual(overcharge);
    const times = {
      nowIso: '',
      lastActivityIso: '',
      silent: false,
      quiet: true,
      unsupported: allSupported,
      endedByProvider: new Set<number>(),
    };
    const step = { step: 'record_overcharge' };
    expect(dueSteps(operation, { ...times, done: new Set() }).steps).toContainEqual(step);
    expect(
      dueSteps(operation, { ...times, done: new Set(['record_overcharge']) }).steps,
    ).not.toContainEqual(step);
    const { events } = recordOvercharge(nothingLate, operation);
    const { currency, agreed, charged } = overcharge;
    const data = {
      attempt: 1,
      provider: 'sandbox',
      currency,
      agreed_amount: agreed,
      charged_amount: charged,
    };
    expect(events).toMatchObject([{ type: 'PayoutOvercharged', data }]);
    expect(
      events.map((event) => decodeLateEvent({ ...event, metadata: { schema_version: 1 } })),
    ).toEqual(events);
    expect(recordOvercharge(events.reduce(evolveLate, nothingLate), operation)).toEqual({
      events: [],
    });
  });

  it.each([
    ['delivered the requested amount', payout('100.00')],
    ['delivered a part', payout('40.00')],
    ['delivered nothing', payout('0.00')],
    ['was accepted at a better rate', payout('100.00', { quote: '0.012500', rate: '0.012000' })],
  ])('is not recorded for a payout that %s', (_, operation) => {
    expect(findOvercharge(operation)).toBeUndefined();
    expect(recordOvercharge(nothingLate, operation)).toEqual({ events: [] });
  });
});

import { describe, expect, it } from 'vitest';
import type { OperationEvent } from './events.ts';
import type { Operation } from './state.ts';
import {
  accepted,
  admitted,
  cancelled as cancelEvent,
  given,
  leg,
  noMoney,
  paid,
  route,
  started,
} from './testing/given.ts';
import { maskCard } from '../methods/index.ts';
import { viewOperation } from './view.ts';

const view = (history: ReturnType<typeof given>) => viewOperation(history.state as Operation);
const completed: OperationEvent = {
  type: 'OperationCompleted',
  data: { ...paid('100.00', '2.50', '97.50'), legs: [leg('a', '100.00')] },
};

describe('operation object', () => {
  it('is absent until a provider has accepted the operation', () => {
    expect(view(given(admitted(), started()))).toBeUndefined();
  });

  it('has requisites and expected figures, but no recorded ones, while pending (R5.1)', () => {
    expect(
      view(given(admitted(), started(), accepted(1, { expires_at: '2026-01-31T12:30:00.000Z' }))),
    ).toEqual({
      operation_id: '6f1d5b1e-0000-8000-8000-000000000001',
      type: 'payment',
      status: 'pending',
      method: 'WT_RUB_C2C',
      expected_amount: '100.00',
      actual_amount: '0.00',
      currency: 'RUB',
      settlement_amount: '97.50',
      settlement_currency: 'RUB',
      commission_amount: '2.50',
      number: '2200123456789012',
      name: 'IVAN I',
      bankname: 'sberbank',
      bankname_details: 'Сбербанк',
      expires_at: '2026-01-31T12:30:00.000Z',
    });
  });

  it('shows partial money as actual, and does not record it yet (R5.2)', () => {
    const part = given(admitted(), started(), accepted(), {
      type: 'LegReceived',
      data: { attempt: 1, leg: leg('a', '60.00') },
    });
    expect(view(part)).toMatchObject({
      status: 'pending',
      actual_amount: '60.00',
      settlement_amount: '97.50',
    });
    expect(view(part)).not.toHaveProperty('recorded_amount');
  });

  it('has recorded and settled figures once completed (R5.3)', () => {
    expect(view(given(admitted(), started(), accepted(), completed))).toMatchObject({
      status: 'completed',
      actual_amount: '100.00',
      recorded_currency: 'RUB',
      recorded_amount: '100.00',
      settlement_amount: '97.50',
      commission_amount: '2.50',
    });
  });

  it('names the rate and its source on a converting route (R5.5)', () => {
    const converting = route({ conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } });
    expect(
      view(given(admitted(), started(1, converting), accepted(1, { fx_rate: '0.012500' }))),
    ).toMatchObject({
      fx_source: 'sandbox',
      fx_rate: '0.012500',
      settlement_currency: 'USD',
      settlement_amount: '1.22',
    });
  });

  it('keeps the quoted rate and its source after a pending payout is declined (R5.5)', () => {
    const converting = route({
      type: 'payout',
      conversion: { settlement_currency: 'USD', fx_source: 'sandbox' },
    });
    const pending: OperationEvent[] = [
      admitted({ type: 'payout' }),
      started(1, converting),
      {
        type: 'ReservationRequested',
        data: { reservation: 1, currency: 'USD', amount: '1.28', fx_rate: '0.012500' },
      },
      { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } },
      { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
    ];
    const fx = { fx_source: 'sandbox', fx_rate: '0.012500' };
    expect(view(given(...pending))).toMatchObject({ status: 'pending', ...fx });
    const refused: OperationEvent[] = [
      { type: 'AttemptRefused', data: { attempt: 1, reason: 'limit' } },
      { type: 'OperationDeclined', data: { ...noMoney, reason: 'provider' } },
    ];
    expect(view(given(...pending, ...refused))).toMatchObject({ status: 'declined', ...fx });
    // The quote of one route is not shown for the next one.
    const next: OperationEvent[] = [
      { type: 'AttemptRefused', data: { attempt: 1, reason: 'limit' } },
      started(2, { ...converting, priority: 2 }),
      { type: 'AttemptRefused', data: { attempt: 2, reason: 'no_quote' } },
      { type: 'OperationDeclined', data: { ...noMoney, reason: 'all_refused' } },
    ];
    const rejected = view(given(...pending.slice(0, 4), ...next));
    expect(rejected).not.toHaveProperty('fx_rate');
    expect(rejected).not.toHaveProperty('fx_source');
  });

  it('requires a receipt if the route does (R5.10)', () => {
    expect(
      view(
        given(
          admitted(),
          started(1, route({ requires_receipt: true })),
          accepted(1, { confirmation_required: true }),
        ),
      ),
    ).toMatchObject({
      status: 'awaiting_confirmation',
      external_confirmation: { required: true, methods: ['receipt'] },
    });
  });

  it('has no requisites if cancelled, and zero amounts if rejected (R5.13)', () => {
    const cancelled = view(
      given(
        admitted(),
        started(),
        accepted(1, { expires_at: '2026-01-31T12:30:00.000Z' }),
        cancelEvent,
      ),
    );
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      settlement_amount: '0.00',
      commission_amount: '0.00',
    });
    for (const field of [
      'number',
      'name',
      'bankname',
      'bankname_details',
      'expires_at',
      'external_confirmation',
    ]) {
      expect(cancelled).not.toHaveProperty(field);
    }
    expect(
      view(
        given(admitted(), { type: 'OperationDeclined', data: { ...noMoney, reason: 'no_route' } }),
      ),
    ).toMatchObject({ status: 'declined', settlement_amount: '0.00', settlement_currency: 'RUB' });
  });

  it('masks a card to its first six and last four digits (R5.7)', () => {
    expect(maskCard('2200123456789012')).toBe('220012******9012');
  });
});

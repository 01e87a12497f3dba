import { describe, expect, it } from 'vitest';
import { whySkip, type WhySkip } from '../../routing.ts';
import { attemptsToWithdraw } from '../due-steps/withdrawals.ts';
import { recordAnswer, type AttemptAnswer } from './provider-answer.ts';
import type { OperationEvent } from '../events.ts';
import type { Operation, OperationState } from '../state.ts';
import { admitted, cancelled, given, route, started } from '../testing/given.ts';
import { declined, refused } from '../testing/payouts.ts';

const unresolved = (attempt: number, cause: 'error' | 'timeout') =>
  ({ type: 'AttemptUnresolved', data: { attempt, cause } }) as const;
const requisites = { number: '2200123412341234' };
const yes: Extract<AttemptAnswer, { outcome: 'accepted' }> = {
  outcome: 'accepted',
  providerReference: 'ref-1',
  requisites,
};
const no: AttemptAnswer = { outcome: 'refused', reason: 'limit' };
const silence: AttemptAnswer = { outcome: 'unknown', cause: 'timeout' };
const two = [route(), route({ provider: 'other', priority: 2 })];

const converting = route({ conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } });

const answered =
  (
    answer: AttemptAnswer,
    more: { attempt?: number; routes?: typeof two; skip?: WhySkip; timeIsUp?: boolean } = {},
  ) =>
  (state: OperationState) =>
    recordAnswer(state, { attempt: 1, answer, routes: [route()], timeIsUp: false, ...more });

const acceptedWith = (data: object) =>
  ({
    type: 'AttemptAccepted',
    data: { attempt: 1, provider_reference: 'ref-1', ...data },
  }) as OperationEvent;

describe('provider’s answer', () => {
  it('accepts the operation, with confirmation required if the route requires a receipt', () => {
    given(admitted(), started())
      .when(answered(yes))
      .thenEvents(acceptedWith({ requisites, confirmation_required: false }));
    given(admitted(), started(1, route({ requires_receipt: true })))
      .when(answered(yes))
      .thenEvents(acceptedWith({ requisites, confirmation_required: true }));
  });

  it('stores a rate with six decimals, on a converting route only (R11.7)', () => {
    given(admitted(), started(1, converting))
      .when(answered({ ...yes, fxRate: '0.0125' }))
      .thenEvents(acceptedWith({ requisites, fx_rate: '0.012500', confirmation_required: false }));
    const decision = answered({ ...yes, fxRate: '0.0125' })(given(admitted(), started()).state);
    expect(JSON.stringify(decision)).not.toContain('fx_rate');
  });

  it.each([undefined, '', '0', '0.0000001', '0.000049', '-1', 'abc', '1e3', 'NaN'])(
    'is not accepted with the rate %j on a converting route (R7.9)',
    (fxRate) => {
      given(admitted(), started(1, converting))
        .when(answered({ ...yes, fxRate }))
        .thenEvents(unresolved(1, 'error'), declined('provider_error'));
    },
  );

  it('is not accepted without requisites, unless the route requires a receipt (R7.5)', () => {
    const { requisites: _, ...withoutRequisites } = yes;
    const { state } = given(admitted(), started())
      .when(answered(withoutRequisites, { routes: two }))
      .thenEvents(unresolved(1, 'error'), started(2, two[1]));
    expect(attemptsToWithdraw(state as never)).toEqual([1]);
    given(admitted(), started(1, route({ requires_receipt: true })))
      .when(answered(withoutRequisites))
      .thenEvents(acceptedWith({ confirmation_required: true }));
  });

  it('gets the bank’s name from the dictionary if it has only the code (R5.6)', () => {
    const bank = (details: object, currency = 'RUB') => {
      const { state } = given(admitted(), started()) as { state: Operation };
      const operation = { ...state, request: { ...state.request, currency } };
      const decision = answered({ ...yes, requisites: { ...requisites, ...details } })(operation);
      return JSON.stringify(decision).match(/"bankname_details":"([^"]*)"/)?.[1];
    };
    expect(bank({ bankname: 'sberbank' })).toBe('Сбербанк');
    expect(bank({ bankname: 'sberbank', bankname_details: 'SBER' })).toBe('SBER');
    expect(bank({ bankname: 'toString' })).toBeUndefined();
    expect(bank({ bankname: 'sberbank' }, 'EUR')).toBeUndefined();
    expect(bank({})).toBeUndefined();
  });

  it('leads to the next route if it is a refusal or unknown', () => {
    given(admitted(), started())
      .when(answered(no, { routes: two }))
      .thenEvents(refused(1), started(2, two[1]));
    given(admitted(), started())
      .when(answered(silence, { routes: two }))
      .thenEvents(unresolved(1, 'timeout'), started(2, two[1]));
  });

  it('skips unavailable routes, and never tries them later (R7.13)', () => {
    const three = [...two, route({ provider: 'third', priority: 3 })];
    const off = (...providers: string[]) => ({
      skip: whySkip({ off: new Set(providers) }),
      routes: three,
    });
    const skipped = (provider: string, priority: number) => ({
      type: 'RoutesSkipped' as const,
      data: { routes: [{ provider, priority, reason: 'provider_off' as const }] },
    });
    given(admitted(), started())
      .when(answered(no, off('other')))
      .thenEvents(refused(1), skipped('other', 2), started(2, three[2]))
      .when(answered(no, { attempt: 2, routes: three }))
      .thenEvents(refused(2), declined('all_refused'));
    given(admitted(), skipped('sandbox', 1), started(1, two[1]))
      .when(answered(no, off('third')))
      .thenEvents(refused(1), skipped('third', 3), declined('all_refused'));
  });

  it('tries the route after all that were skipped or tried, in any order (R7.13)', () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((provider, n) => route({ provider, priority: n }));
    const [, b, , d, e] = five;
    const skipped = (provider: string, priority: number): OperationEvent => ({
      type: 'RoutesSkipped',
      data: { routes: [{ provider, priority, reason: 'provider_off' }] },
    });
    const skip = whySkip({ off: new Set(['a', 'c']) });
    given(admitted(), skipped('a', 0), started(1, b))
      .when(answered(no, { routes: five, skip }))
      .thenEvents(refused(1), skipped('c', 2), started(2, d))
      .when(answered(no, { attempt: 2, routes: five }))
      .thenEvents(refused(2), started(3, e));
  });

  it('declines when no route is left, and records whether all refused', () => {
    given(admitted(), started()).when(answered(no)).thenEvents(refused(1), declined('all_refused'));
    given(admitted(), started())
      .when(answered(silence))
      .thenEvents(unresolved(1, 'timeout'), declined('acceptance_timeout'));
  });

  it('declines as provider_error after an error, unless another attempt timed out', () => {
    const error: AttemptAnswer = { outcome: 'unknown', cause: 'error' };
    given(admitted(), started())
      .when(answered(error))
      .thenEvents(unresolved(1, 'error'), declined('provider_error'));
    const second = { attempt: 2, routes: two };
    const after = (...events: Parameters<typeof given>) =>
      given(admitted(), started(), ...events, started(2, two[1]));
    after(refused(1))
      .when(answered(error, second))
      .thenEvents(unresolved(2, 'error'), declined('provider_error'));
    after(unresolved(1, 'error'))
      .when(answered(no, second))
      .thenEvents(refused(2), declined('provider_error'));
    after(unresolved(1, 'timeout'))
      .when(answered(error, second))
      .thenEvents(unresolved(2, 'error'), declined('acceptance_timeout'));
  });

  it('starts no attempt after the acceptance wait', () => {
    given(admitted(), started())
      .when(answered(no, { routes: two, timeIsUp: true }))
      .thenEvents(refused(1), declined('acceptance_timeout'));
  });

  it('is rejected if the operation was decided meanwhile', () => {
    given(admitted(), started(), cancelled).when(answered(yes)).thenRefused('attempt_overtaken');
  });
});

import { describe, expect, it } from 'vitest';
import {
  admit,
  attemptsToWithdraw,
  noteWithdrawal,
  recordAnswer,
  rejectAbandoned,
  type AttemptAnswer,
} from './create.ts';
import type { OperationState } from './state.ts';
import { accepted, admitted, create, given, noMoney, route, started } from './testing/given.ts';

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
  (answer: AttemptAnswer, more: { attempt?: number; routes?: typeof two; timeIsUp?: boolean } = {}) =>
  (state: OperationState) =>
    recordAnswer(state, { attempt: 1, answer, routes: [route()], timeIsUp: false, ...more });

describe('admission', () => {
  it('takes the key and begins the first attempt on the best route', () => {
    given()
      .when((state) => admit(state, create({ routes: two.toReversed() })))
      .thenEvents(admitted(), started(1));
  });

  it('declines at once when no route fits the amount', () => {
    given()
      .when((state) => admit(state, create({ routes: [route({ min_amount: '100.01' })] })))
      .thenEvents(admitted(), { type: 'OperationDeclined', data: { ...noMoney, reason: 'no_route' } });
  });

  it('knows a repeat by the body and the kind', () => {
    const history = given(admitted(), started());
    history.when((state) => admit(state, create())).thenRefused('already_admitted');
    history
      .when((state) => admit(state, create({ body: { rest: 'other', whole: 'other' } })))
      .thenRefused('idempotency_body_mismatch');
    history
      .when((state) => admit(state, create({ type: 'payout' })))
      .thenRefused('idempotency_body_mismatch');
  });
});

describe('a provider’s answer', () => {
  it('accepts: the operation is pending, or awaits confirmation where the route asks for a receipt', () => {
    given(admitted(), started())
      .when(answered(yes))
      .thenEvents({
        type: 'AttemptAccepted',
        data: { attempt: 1, provider_reference: 'ref-1', requisites, confirmation_required: false },
      });
    given(admitted(), started(1, route({ requires_receipt: true })))
      .when(answered(yes))
      .thenEvents({
        type: 'AttemptAccepted',
        data: { attempt: 1, provider_reference: 'ref-1', requisites, confirmation_required: true },
      });
  });

  it('quotes a rate with six decimals where the route converts, and none elsewhere', () => {
    given(admitted(), started(1, converting))
      .when(answered({ ...yes, fxRate: '0.0125' }))
      .thenEvents({
        type: 'AttemptAccepted',
        data: {
          attempt: 1,
          provider_reference: 'ref-1',
          requisites,
          fx_rate: '0.012500',
          confirmation_required: false,
        },
      });
    const decision = answered({ ...yes, fxRate: '0.0125' })(given(admitted(), started()).state);
    expect(JSON.stringify(decision)).not.toContain('fx_rate');
  });

  it.each([undefined, '', '0', '0.0000001', '0.000049', '-1', 'abc', '1e3', 'NaN'])(
    'at the rate %j is no acceptance on a converting route',
    (fxRate) => {
      given(admitted(), started(1, converting))
        .when(answered({ ...yes, fxRate }))
        .thenEvents(
          { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'error' } },
          { type: 'OperationDeclined', data: { ...noMoney, reason: 'provider_error' } },
        );
    },
  );

  it('that says neither where to pay nor that a receipt is wanted is no acceptance (R7.5)', () => {
    const { requisites: _, ...nowhere } = yes;
    const { state } = given(admitted(), started())
      .when(answered(nowhere, { routes: two }))
      .thenEvents({ type: 'AttemptUnresolved', data: { attempt: 1, cause: 'error' } }, started(2, two[1]));
    expect(attemptsToWithdraw(state as never)).toEqual([1]);
    given(admitted(), started(1, route({ requires_receipt: true })))
      .when(answered(nowhere))
      .thenEvents({
        type: 'AttemptAccepted',
        data: { attempt: 1, provider_reference: 'ref-1', confirmation_required: true },
      });
  });

  it('that names a bank by its code alone has the name from the dictionary', () => {
    const bank = (given_: object) => {
      const decision = answered({ ...yes, requisites: { ...requisites, ...given_ } })(
        given(admitted(), started()).state,
      );
      return JSON.stringify(decision).match(/"bankname_details":"([^"]*)"/)?.[1];
    };
    expect(bank({ bankname: 'sberbank' })).toBe('Сбербанк');
    expect(bank({ bankname: 'sberbank', bankname_details: 'SBER' })).toBe('SBER');
    expect(bank({ bankname: 'toString' })).toBeUndefined();
    expect(bank({})).toBeUndefined();
  });

  it('refused or unknown, goes on to the next route', () => {
    given(admitted(), started())
      .when(answered(no, { routes: two }))
      .thenEvents({ type: 'AttemptRefused', data: { attempt: 1, reason: 'limit' } }, started(2, two[1]));
    given(admitted(), started())
      .when(answered(silence, { routes: two }))
      .thenEvents({ type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } }, started(2, two[1]));
  });

  it('declines when none is left, and says whether all refused', () => {
    given(admitted(), started())
      .when(answered(no))
      .thenEvents(
        { type: 'AttemptRefused', data: { attempt: 1, reason: 'limit' } },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'all_refused' } },
      );
    given(admitted(), started())
      .when(answered(silence))
      .thenEvents(
        { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'acceptance_timeout' } },
      );
  });

  it('that is an error is told as one, and not as a wait that ran out', () => {
    const error: AttemptAnswer = { outcome: 'unknown', cause: 'error' };
    const noted = (attempt: number, cause: 'error' | 'timeout') =>
      ({ type: 'AttemptUnresolved', data: { attempt, cause } }) as const;
    const told = (reason: string) => ({ type: 'OperationDeclined', data: { ...noMoney, reason } }) as never;
    given(admitted(), started()).when(answered(error)).thenEvents(noted(1, 'error'), told('provider_error'));
    const second = { attempt: 2, routes: two };
    const after = (...events: Parameters<typeof given>) =>
      given(admitted(), started(), ...events, started(2, two[1]));
    after({ type: 'AttemptRefused', data: { attempt: 1, reason: 'limit' } })
      .when(answered(error, second))
      .thenEvents(noted(2, 'error'), told('provider_error'));
    after(noted(1, 'error'))
      .when(answered(no, second))
      .thenEvents({ type: 'AttemptRefused', data: { attempt: 2, reason: 'limit' } }, told('provider_error'));
    after(noted(1, 'timeout'))
      .when(answered(error, second))
      .thenEvents(noted(2, 'error'), told('acceptance_timeout'));
  });

  it('starts no further attempt once the wait is over', () => {
    given(admitted(), started())
      .when(answered(no, { routes: two, timeIsUp: true }))
      .thenEvents(
        { type: 'AttemptRefused', data: { attempt: 1, reason: 'limit' } },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'acceptance_timeout' } },
      );
  });

  it('comes too late for an operation that was decided meanwhile', () => {
    given(admitted(), started(), { type: 'OperationCancelled', data: { ...noMoney, reason: 'cancel' } })
      .when(answered(yes))
      .thenRefused('attempt_overtaken');
  });
});

describe('a create that was abandoned', () => {
  it('is rejected after the acceptance wait, not before', () => {
    const history = given(admitted(), started());
    history.when((state) => rejectAbandoned(state, '2026-01-31T12:00:14.999Z')).thenNothing();
    history
      .when((state) => rejectAbandoned(state, '2026-01-31T12:00:15.000Z'))
      .thenEvents(
        { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'acceptance_timeout' } },
      );
  });

  it('leaves an accepted operation alone', () => {
    given(admitted(), started(), accepted())
      .when((state) => rejectAbandoned(state, '2027-01-01T00:00:00.000Z'))
      .thenNothing();
  });
});

describe('withdrawal', () => {
  const owed = (history: ReturnType<typeof given>) => attemptsToWithdraw(history.state as never);
  const cancelled = { type: 'OperationCancelled', data: { ...noMoney, reason: 'cancel' } } as const;

  it('is owed for what a provider may hold and nothing will come of', () => {
    expect(owed(given(admitted(), started(), accepted()))).toEqual([]);
    expect(owed(given(admitted(), started(), accepted(), cancelled))).toEqual([1]);
    expect(owed(given(admitted(), started(), cancelled))).toEqual([1]);
    const unresolved = { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } } as const;
    expect(owed(given(admitted(), started(), unresolved, started(2), accepted(2)))).toEqual([1]);
  });

  it('is noted once', () => {
    given(admitted(), started(), cancelled)
      .when((state) => noteWithdrawal(state, 1))
      .thenEvents({ type: 'AttemptWithdrawn', data: { attempt: 1 } })
      .when((state) => noteWithdrawal(state, 1))
      .thenNothing();
  });
});

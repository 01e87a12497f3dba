import { describe, expect, it } from 'vitest';
import { admit } from '../admission/admit.ts';
import { recordAnswer } from '../attempts/provider-answer.ts';
import { rejectAbandoned } from '../attempts/acceptance-wait.ts';
import { nextCreateStep } from '../attempts/create-step.ts';
import { recordQuote, recordReservation, type Quote } from './record.ts';
import type { Operation, OperationState } from '../state.ts';
import { create, given, started } from '../testing/given.ts';
import {
  plain,
  expensiveRoute,
  converting,
  payout,
  now,
  requested,
  inDollars,
  reserved,
  unresolved,
  refused,
  declined,
  acceptedBy,
  yes,
  no,
  silence,
} from '../testing/payouts.ts';

const funds =
  (answer: 'reserved' | 'insufficient_funds', change: Partial<typeof now> = {}) =>
  (state: OperationState) =>
    recordReservation(state, { ...now, attempt: 1, answer, ...change });
const quote = (answer: Quote) => (state: OperationState) =>
  recordQuote(state, { ...now, attempt: 1, quote: answer });
const answers =
  (answer: typeof yes | typeof no | typeof silence, routes = [plain]) =>
  (state: OperationState) =>
    recordAnswer(state, { ...now, attempt: 1, answer, routes });

describe('payout funds', () => {
  it('are requested with its admission, and reserved before its provider is called', () => {
    const history = given()
      .when(admit, create({ type: 'payout', routes: [plain] }))
      .thenEvents(payout, started(1, plain), requested());
    expect(nextCreateStep(history.state as Operation)).toMatchObject({
      step: 'reserve',
      release: [],
    });
    const ready = history.when(funds('reserved')).thenEvents(reserved());
    expect(nextCreateStep(ready.state as Operation)).toMatchObject({ step: 'submit' });
  });

  it('are requested at the quote of a converting route, which is refused without a quote', () => {
    const history = given()
      .when(admit, create({ type: 'payout', routes: [converting] }))
      .thenEvents(payout, started(1, converting));
    expect(nextCreateStep(history.state as Operation)).toMatchObject({ step: 'quote' });
    history.when(quote({ outcome: 'quoted', rate: '0.0125' })).thenEvents(inDollars);
    history
      .when(quote({ outcome: 'unknown', cause: 'timeout' }))
      .thenEvents(refused(1, 'quote_timeout'), declined('acceptance_timeout'));
    history
      .when(quote({ outcome: 'unknown', cause: 'error' }))
      .thenEvents(refused(1, 'quote_error'), declined('provider_error'));
    history
      .when(quote({ outcome: 'refused' }))
      .thenEvents(refused(1, 'no_quote'), declined('all_refused'));
    // At 0.00 there is nothing to reserve, and nothing that could be charged.
    history
      .when(quote({ outcome: 'quoted', rate: '0.000049' }))
      .thenEvents(refused(1, 'converts_to_nothing'), declined('all_refused'));
  });

  it('decline the payout if they exceed the balance and no route is left', () => {
    given(payout, started(1, plain), requested())
      .when(funds('insufficient_funds'))
      .thenEvents(refused(1, 'insufficient_funds'), declined('insufficient_funds'));
  });

  it('are reserved for a cheaper route if they exceed the balance (R12.10)', () => {
    const routes = [expensiveRoute, { ...plain, priority: 3 }];
    const { state } = given(payout, started(1, expensiveRoute), requested(1, '105.00'))
      .when(funds('insufficient_funds', { routes }))
      .thenEvents(refused(1, 'insufficient_funds'), started(2, routes[1]), requested(2));
    expect(nextCreateStep(state as Operation)).toMatchObject({
      step: 'reserve',
      reservation: { reservation: 2 },
      release: [{ reservation: 1, noted: false }],
    });
    // The ledger holds no reservation, so equal terms need a new one.
    const same = [plain, { ...plain, priority: 2 }];
    given(payout, started(1, plain), requested())
      .when(funds('insufficient_funds', { routes: same }))
      .thenEvents(refused(1, 'insufficient_funds'), started(2, same[1]), requested(2));
  });

  it('are not paid out if they were reserved too late', () => {
    given(payout, started(1, plain), requested())
      .when(funds('reserved', { timeIsUp: true }))
      .thenEvents(declined('acceptance_timeout'));
  });
});

describe('payout cascade (R7.6)', () => {
  const dispatched = given(payout, started(1, plain), requested(), reserved());

  it('continues after a refusal, with the same reservation on equal terms', () => {
    const same = { ...plain, priority: 2 };
    const { state } = dispatched
      .when(answers(no, [plain, same]))
      .thenEvents(refused(), started(2, same), reserved(2, 1));
    expect(state).toMatchObject({ status: 'creating', reservations: [{ reservation: 1 }] });
  });

  it('continues after a refusal with a new reservation on other terms (R12.8)', () => {
    const { state } = dispatched
      .when(answers(no, [plain, expensiveRoute]))
      .thenEvents(refused(), started(2, expensiveRoute), requested(2, '105.00'));
    expect(nextCreateStep(state as Operation)).toMatchObject({
      step: 'reserve',
      reservation: { reservation: 2 },
      release: [{ reservation: 1, noted: true }],
    });
  });

  it('stops at an unknown outcome, and leaves the payout pending (R7.6)', () => {
    const { state } = dispatched
      .when(answers(silence, [plain, expensiveRoute]))
      .thenEvents(unresolved);
    expect(state).toMatchObject({ status: 'pending', webhooks: 0 });
  });

  it('resolves an unknown outcome by a later report', () => {
    const later = given(payout, started(1, plain), requested(), reserved(), unresolved);
    const routes = [plain, expensiveRoute];
    later.when(answers(yes, routes)).thenEvents(acceptedBy());
    later.when(answers(no, routes)).thenEvents(refused(), declined('provider'));
    later.when(answers(silence, routes)).thenNothing();
  });

  it('declines an abandoned payout only if its provider was not called', () => {
    const late = '2026-01-31T12:00:15.000Z';
    dispatched.when(rejectAbandoned, late).thenEvents(unresolved);
    given(payout, started(1, plain), requested())
      .when(rejectAbandoned, late)
      .thenEvents(declined('acceptance_timeout'));
  });
});

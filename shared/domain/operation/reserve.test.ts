import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, recordAnswer, rejectAbandoned } from './create.ts';
import { isTerminalEventType, type OperationEvent } from './events.ts';
import { fold } from './evolve.ts';
import { entriesOwed, nextCreateStep, recordQuote, recordReservation } from './reserve.ts';
import { applyReport } from './settle.ts';
import { isTerminal, type Operation } from './state.ts';
import { admitted, create, given, leg, noMoney, route, started } from './testing/given.ts';
import { histories } from './testing/histories.ts';

const plain = route({ type: 'payout' });
const dearer = route({ type: 'payout', priority: 2, commission: { percent: '5.00', fixed: '0.00' } });
const converting = route({
  type: 'payout',
  conversion: { settlement_currency: 'USD', fx_source: 'sandbox' },
});
const payout = admitted({ type: 'payout' });
const now = { routes: [plain], timeIsUp: false };

const requested = (reservation = 1, amount = '102.50'): OperationEvent => ({
  type: 'ReservationRequested',
  data: { reservation, currency: 'RUB', amount },
});
const inDollars: OperationEvent = {
  type: 'ReservationRequested',
  data: { reservation: 1, currency: 'USD', amount: '1.28', fx_rate: '0.012500' },
};
const reserved = (attempt = 1, reservation = 1): OperationEvent => ({
  type: 'FundsReserved',
  data: { reservation, attempt },
});
const unresolved: OperationEvent = { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } };
const refused = (attempt = 1, reason = 'limit'): OperationEvent => ({
  type: 'AttemptRefused',
  data: { attempt, reason },
});
const declined = (reason: string) =>
  ({ type: 'OperationDeclined', data: { ...noMoney, reason } }) as OperationEvent;
const acceptedBy = (attempt = 1): OperationEvent => ({
  type: 'AttemptAccepted',
  data: { attempt, provider_reference: 'ref-1', confirmation_required: false },
});
const yes = { outcome: 'accepted', providerReference: 'ref-1' } as const;
const no = { outcome: 'refused', reason: 'limit' } as const;
const silence = { outcome: 'unknown', cause: 'timeout' } as const;

describe('a payout’s funds', () => {
  it('are requested with its admission, and reserved before its provider is called', () => {
    const history = given()
      .when((state) => admit(state, create({ type: 'payout', routes: [plain] })))
      .thenEvents(payout, started(1, plain), requested());
    expect(nextCreateStep(history.state as Operation)).toMatchObject({ step: 'reserve', release: [] });
    const ready = history
      .when((state) =>
        recordReservation(state, { attempt: 1, answer: 'reserved', routes: [plain], timeIsUp: false }),
      )
      .thenEvents(reserved());
    expect(nextCreateStep(ready.state as Operation)).toMatchObject({ step: 'submit' });
  });

  it('of a converting route are requested at its quote', () => {
    const history = given()
      .when((state) => admit(state, create({ type: 'payout', routes: [converting] })))
      .thenEvents(payout, started(1, converting));
    expect(nextCreateStep(history.state as Operation)).toMatchObject({ step: 'quote' });
    history
      .when((state) =>
        recordQuote(state, { ...now, attempt: 1, quote: { outcome: 'quoted', rate: '0.0125' } }),
      )
      .thenEvents(inDollars);
    history
      .when((state) =>
        recordQuote(state, { ...now, attempt: 1, quote: { outcome: 'unknown', cause: 'timeout' } }),
      )
      .thenEvents(refused(1, 'quote_timeout'), declined('acceptance_timeout'));
    history
      .when((state) =>
        recordQuote(state, { ...now, attempt: 1, quote: { outcome: 'unknown', cause: 'error' } }),
      )
      .thenEvents(refused(1, 'quote_error'), declined('provider_error'));
    history
      .when((state) => recordQuote(state, { ...now, attempt: 1, quote: { outcome: 'refused' } }))
      .thenEvents(refused(1, 'no_quote'), declined('all_refused'));
    // At 0.00 there is nothing to reserve, and nothing that could be charged.
    history
      .when((state) =>
        recordQuote(state, { ...now, attempt: 1, quote: { outcome: 'quoted', rate: '0.000049' } }),
      )
      .thenEvents(refused(1, 'converts_to_nothing'), declined('all_refused'));
  });

  it('that the balance does not cover decline it where no other route is left', () => {
    given(payout, started(1, plain), requested())
      .when((state) => recordReservation(state, { ...now, attempt: 1, answer: 'insufficient_funds' }))
      .thenEvents(refused(1, 'insufficient_funds'), declined('insufficient_funds'));
  });

  it('that the balance does not cover go on to a route that needs less, with a reservation of its own', () => {
    const routes = [dearer, { ...plain, priority: 3 }];
    const { state } = given(payout, started(1, dearer), requested(1, '105.00'))
      .when((current) =>
        recordReservation(current, { attempt: 1, answer: 'insufficient_funds', routes, timeIsUp: false }),
      )
      .thenEvents(refused(1, 'insufficient_funds'), started(2, routes[1]), requested(2));
    expect(nextCreateStep(state as Operation)).toMatchObject({
      step: 'reserve',
      reservation: { reservation: 2 },
      release: [{ reservation: 1, noted: false }],
    });
    // The ledger never held it: the same terms are asked for anew.
    const same = [plain, { ...plain, priority: 2 }];
    given(payout, started(1, plain), requested())
      .when((current) =>
        recordReservation(current, {
          attempt: 1,
          answer: 'insufficient_funds',
          routes: same,
          timeIsUp: false,
        }),
      )
      .thenEvents(refused(1, 'insufficient_funds'), started(2, same[1]), requested(2));
  });

  it('reserved too late are not sent on their way', () => {
    given(payout, started(1, plain), requested())
      .when((state) =>
        recordReservation(state, { attempt: 1, answer: 'reserved', routes: [plain], timeIsUp: true }),
      )
      .thenEvents(declined('acceptance_timeout'));
  });
});

describe('a payout’s cascade (R7.6)', () => {
  const dispatched = given(payout, started(1, plain), requested(), reserved());
  const answered = (answer: typeof yes | typeof no | typeof silence, routes = [plain]) =>
    dispatched.when((state) => recordAnswer(state, { attempt: 1, answer, routes, timeIsUp: false }));

  it('goes on upon a refusal, with the reservation where the terms are the same', () => {
    const same = { ...plain, priority: 2 };
    const { state } = answered(no, [plain, same]).thenEvents(refused(), started(2, same), reserved(2, 1));
    expect(state).toMatchObject({ status: 'creating', reservations: [{ reservation: 1 }] });
  });

  it('goes on upon a refusal with a reservation of its own on other terms', () => {
    const { state } = answered(no, [plain, dearer]).thenEvents(
      refused(),
      started(2, dearer),
      requested(2, '105.00'),
    );
    expect(nextCreateStep(state as Operation)).toMatchObject({
      step: 'reserve',
      reservation: { reservation: 2 },
      release: [{ reservation: 1, noted: true }],
    });
  });

  it('ends with an outcome that is not known: pending, whatever routes are left', () => {
    const { state } = answered(silence, [plain, dearer]).thenEvents(unresolved);
    expect(state).toMatchObject({ status: 'pending', webhooks: 0 });
  });

  it('takes a later word for an outcome that was not known', () => {
    const later = given(payout, started(1, plain), requested(), reserved(), unresolved);
    const answer = (word: typeof yes | typeof no | typeof silence) =>
      later.when((state) =>
        recordAnswer(state, { attempt: 1, answer: word, routes: [plain, dearer], timeIsUp: false }),
      );
    answer(yes).thenEvents(acceptedBy());
    answer(no).thenEvents(refused(), declined('provider'));
    answer(silence).thenNothing();
  });

  it('that nobody brings to an end is pending once its provider may have been called, else declined', () => {
    const late = '2026-01-31T12:00:15.000Z';
    dispatched.when((state) => rejectAbandoned(state, late)).thenEvents(unresolved);
    given(payout, started(1, plain), requested())
      .when((state) => rejectAbandoned(state, late))
      .thenEvents(declined('acceptance_timeout'));
  });
});

describe('the entries that an end owes', () => {
  const running = [payout, started(1, plain), requested(), reserved(), acceptedBy()];
  const owedAfter = (...events: OperationEvent[]) => entriesOwed(fold(events) as Operation);

  it('are none before it', () => {
    expect(owedAfter(...running)).toEqual([]);
  });

  it('are a capture of what was charged, or a release', () => {
    const { state } = given(...running)
      .when((current) =>
        applyReport(current, { attempt: 1, status: 'completed', legs: [leg('leg-1', '60.00')] }),
      )
      .thenEvents({
        type: 'OperationPartiallyCompleted',
        data: {
          actual_amount: '60.00',
          recorded_amount: '60.00',
          settlement_amount: '61.50',
          commission_amount: '1.50',
          legs: [leg('leg-1', '60.00')],
        },
      });
    const about = { reservation: 1, currency: 'RUB', reserved: '102.50' };
    expect(entriesOwed(state as Operation)).toEqual([
      { kind: 'capture', ...about, recorded: '60.00', settlement: '61.50', commission: '1.50' },
    ]);
    expect(owedAfter(...running, declined('provider'))).toEqual([{ kind: 'release', ...about }]);
  });

  it('end a reservation, too, of which nobody knows whether it was made', () => {
    expect(owedAfter(payout, started(1, plain), requested(), declined('acceptance_timeout'))).toEqual([
      { kind: 'release', reservation: 1, currency: 'RUB' },
    ]);
  });

  it('close every reservation of any history exactly once, with one capture where there is money', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        const state = fold(events);
        fc.pre(state.phase === 'admitted' && isTerminal(state.status));
        const { type, settled, reservations } = state;
        const owed = entriesOwed(state);
        const money = settled?.recorded_amount !== undefined ? 1 : 0;
        const kinds = owed.map(({ kind }) => kind);
        const numbers = owed.flatMap((entry) => ('reservation' in entry ? [entry.reservation] : []));
        expect(numbers).toEqual(reservations.map(({ reservation }) => reservation));
        expect(kinds.filter((kind) => kind === (type === 'payment' ? 'credit' : 'capture'))).toHaveLength(
          money,
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('whatever happens to an operation', () => {
  it('an end comes once, and nothing but withdrawals of attempts comes after', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        const ends = events.findIndex(({ type }) => isTerminalEventType(type));
        const after = ends < 0 ? [] : events.slice(ends + 1).map(({ type }) => type);
        expect(after.filter((type) => type !== 'AttemptWithdrawn')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('no payout is taken by a provider before its funds are reserved', () => {
    fc.assert(
      fc.property(histories, ({ create: { type }, events }) => {
        const first = (wanted: string) => events.findIndex((event) => event.type === wanted);
        fc.pre(type === 'payout' && first('AttemptAccepted') >= 0);
        expect(first('FundsReserved')).toBeGreaterThan(first('ReservationRequested'));
        expect(first('AttemptAccepted')).toBeGreaterThan(first('FundsReserved'));
      }),
      { numRuns: 300 },
    );
  });
});

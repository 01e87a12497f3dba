import { figuresFor } from '../figures.ts';
import { zero } from '../money.ts';
import { eligibleRoutes, type Route } from '../routing.ts';
import type { OperationEvent, OperationRequest } from './events.ts';
import { currentReservation, type Failure, type Operation, type Reservation } from './state.ts';

/** The routes of an operation, tried one after the other until a provider accepts (R7.1). */

/** What the routes and the clock say while an operation is being created. */
export type CascadeNow = { routes: readonly Route[]; timeIsUp: boolean };

type Routed = { type: 'payment' | 'payout'; request: OperationRequest };

export function candidates(routes: readonly Route[], { type, request }: Routed): Route[] {
  return eligibleRoutes(routes, { type, ...request });
}

/**
 * Begins an attempt. A payout's funds come first: an earlier attempt's reservation goes on where it is on the same
 * terms, else a new one is requested; where the route converts, only once its rate is known (`recordQuote`).
 */
export function begin(
  { type, request }: Routed,
  { attempt, route }: { attempt: number; route: Route },
  held?: Reservation,
): OperationEvent[] {
  const started: OperationEvent = { type: 'AttemptStarted', data: { attempt, route } };
  if (type === 'payment' || route.conversion) return [started];
  const needed = fundsNeeded(request, route);
  const sameTerms = held?.noted === true && held.fxRate === undefined && held.currency === needed.currency;
  return sameTerms && held.amount === needed.amount
    ? [started, { type: 'FundsReserved', data: { reservation: held.reservation, attempt } }]
    : [started, { type: 'ReservationRequested', data: { reservation: attempt, ...needed } }];
}

/** All that a payout may charge on a route (R11.5): the amount and the commission, in the ledger's currency. */
export function fundsNeeded(request: OperationRequest, route: Route, fxRate?: string) {
  const { settlement_amount: amount } = figuresFor(request.amount, {
    type: 'payout',
    commission: route.commission,
    fxRate,
  });
  return { currency: route.conversion?.settlement_currency ?? request.currency, amount };
}

/**
 * On to the next route after one that came to nothing, or the end where there is none or no time. Funds that the ledger
 * refused for one route may do for another that needs less of them, or other ones.
 */
export function goOn(
  state: Operation,
  { routes, timeIsUp, failure }: CascadeNow & { failure: Failure },
): OperationEvent[] {
  const next = candidates(routes, state)[state.attempts.length];
  if (next && !timeIsUp) {
    return begin(state, { attempt: state.attempts.length + 1, route: next }, currentReservation(state));
  }
  if (next) return [declined('acceptance_timeout')];
  const before = state.attempts.slice(0, -1).flatMap((each) => each.failure ?? []);
  return [declined(reasonFor(new Set([...before, failure])))];
}

/** Why no route took the operation: what may be over at the next try comes before what will not. */
function reasonFor(failures: ReadonlySet<Failure>): DeclineReason {
  if (failures.has('timeout')) return 'acceptance_timeout';
  if (failures.has('error')) return 'provider_error';
  return failures.has('insufficient_funds') ? 'insufficient_funds' : 'all_refused';
}

type DeclineReason =
  'no_route' | 'all_refused' | 'acceptance_timeout' | 'provider_error' | 'insufficient_funds' | 'provider';

export function declined(reason: DeclineReason): OperationEvent {
  return {
    type: 'OperationDeclined',
    data: { actual_amount: zero, settlement_amount: zero, commission_amount: zero, reason },
  };
}

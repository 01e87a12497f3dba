import { eligibleRoutes, type Route } from '../../routing.ts';
import { declined, type DeclineReason } from '../ends/terminal-events.ts';
import type { OperationEvent, OperationRequest } from '../events.ts';
import { fundsNeeded } from '../payout-funds/needed.ts';
import { currentReservation, type Failure, type Operation, type Reservation } from '../state.ts';

/** The routes of an operation, tried one after the other until a provider accepts (R7.1). */

/** The shop's routes, and whether the acceptance wait is over. */
export type CascadeNow = { routes: readonly Route[]; timeIsUp: boolean };

type Routed = { type: 'payment' | 'payout'; request: OperationRequest };

export function candidates(routes: readonly Route[], { type, request }: Routed): Route[] {
  return eligibleRoutes(routes, { type, ...request });
}

/**
 * Begins an attempt. A payout's funds are reserved before its provider is called. An earlier
 * attempt's reservation is used again where the terms are the same; else a new one is requested.
 * On a converting route that waits for the rate (`recordQuote`).
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

/**
 * On to the next route after one that failed; declined where there is none or the acceptance wait
 * is over. A balance too low for one route may be enough for another.
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

/**
 * Why no route took the operation. Failures that may pass with time come before those that will
 * not.
 */
function reasonFor(failures: ReadonlySet<Failure>): DeclineReason {
  if (failures.has('timeout')) return 'acceptance_timeout';
  if (failures.has('error')) return 'provider_error';
  return failures.has('insufficient_funds') ? 'insufficient_funds' : 'all_refused';
}

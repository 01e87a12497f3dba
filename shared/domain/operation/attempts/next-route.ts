import { eligibleRoutes, type Route, type WhySkip } from '../../routing.ts';
import { declined } from '../ends/terminal-events.ts';
import type {
  DeclineCause,
  OperationEvent,
  OperationEventOf,
  OperationRequest,
} from '../events.ts';
import { fundsNeeded } from '../payout-funds/funds-needed.ts';
import {
  currentReservation,
  type AttemptFailure,
  type Operation,
  type Reservation,
} from '../state.ts';

/** The routes of an operation are tried in order until a provider accepts (R7.1). */

/**
 * The shop's routes, those to skip, and whether the acceptance wait is over.
 */
export type CascadeNow = {
  routes: readonly Route[];
  skip?: WhySkip | undefined;
  timeIsUp: boolean;
};

type RoutedRequest = { type: 'payment' | 'payout'; request: OperationRequest };

export function candidates(routes: readonly Route[], { type, request }: RoutedRequest): Route[] {
  return eligibleRoutes(routes, { type, ...request });
}

/**
 * The first route that may be tried, and the event that lists the routes skipped before it.
 */
export function chooseFirstRoute(
  routes: readonly Route[],
  skip: WhySkip = () => undefined,
): { events: OperationEvent[]; route: Route | undefined } {
  const skipped = [];
  for (const route of routes) {
    const reason = skip(route);
    if (reason === undefined) return { events: routesSkippedEvents(skipped), route };
    skipped.push({ provider: route.provider, priority: route.priority, reason });
  }
  return { events: routesSkippedEvents(skipped), route: undefined };
}

const routesSkippedEvents = (
  routes: OperationEventOf<'RoutesSkipped'>['data']['routes'],
): OperationEvent[] => (routes.length > 0 ? [{ type: 'RoutesSkipped', data: { routes } }] : []);

/**
 * Begins an attempt. A payout's funds are reserved before its provider is called. An earlier
 * attempt's reservation is used again where the terms are the same; else a new one is requested.
 * On a converting route that waits for the rate (`recordQuote`).
 */
export function begin(
  { type, request }: RoutedRequest,
  { attempt, route }: { attempt: number; route: Route },
  held?: Reservation,
): OperationEvent[] {
  const started: OperationEvent = { type: 'AttemptStarted', data: { attempt, route } };
  if (type === 'payment' || route.conversion) return [started];
  const needed = fundsNeeded(request, route);
  const sameTerms =
    held?.noted === true && held.fxRate === undefined && held.currency === needed.currency;
  return sameTerms && held.amount === needed.amount
    ? [started, { type: 'FundsReserved', data: { reservation: held.reservation, attempt } }]
    : [started, { type: 'ReservationRequested', data: { reservation: attempt, ...needed } }];
}

/**
 * Tries the next route after a failure; declines if there is none or the acceptance wait is over.
 * A balance too low for one route may be enough for another.
 */
export function tryNextRoute(
  state: Operation,
  { routes, skip, timeIsUp, failure }: CascadeNow & { failure: AttemptFailure },
): OperationEvent[] {
  const left = candidates(routes, state).slice(state.attempts.length + state.skippedRoutes);
  if (left.length > 0 && timeIsUp) return [declined('acceptance_timeout')];
  const { events: skipped, route: next } = chooseFirstRoute(left, skip);
  if (next) {
    const attempt = { attempt: state.attempts.length + 1, route: next };
    return [...skipped, ...begin(state, attempt, currentReservation(state))];
  }
  const before = state.attempts.slice(0, -1).flatMap((each) => each.failure ?? []);
  return [...skipped, declined(reasonFor(new Set([...before, failure])))];
}

/** Why no route took the operation. Temporary failures come before permanent ones. */
function reasonFor(failures: ReadonlySet<AttemptFailure>): DeclineCause {
  if (failures.has('timeout')) return 'acceptance_timeout';
  if (failures.has('error')) return 'provider_error';
  return failures.has('insufficient_funds') ? 'insufficient_funds' : 'all_refused';
}

import { convertsToMoney, parseRate } from '../../exchange-rate.ts';
import { nextCreateStep } from '../attempts/create-step.ts';
import { tryNextRoute, type CascadeNow } from '../attempts/next-route.ts';
import { declined } from '../ends/terminal-events.ts';
import type { OperationEvent } from '../events.ts';
import { failureBySkipReason, type Operation, type OperationState } from '../state.ts';
import { fundsNeeded } from './funds-needed.ts';

/**
 * A payout's funds: quoted where its route converts, then reserved in the ledger. Only then is its
 * provider called.
 */

export type Quote =
  | { outcome: 'quoted'; rate: string }
  | { outcome: 'refused' }
  | { outcome: 'unknown'; cause: 'timeout' | 'error' };

type Decision = { events: OperationEvent[] } | { refusal: { code: 'attempt_overtaken' } };

const overtaken: Decision = { refusal: { code: 'attempt_overtaken' } };

/**
 * Records the rate of a converting route. Without a rate the payout tries its next route: the
 * provider was not called.
 */
export function recordQuote(
  state: OperationState,
  { attempt, quote, ...now }: CascadeNow & { attempt: number; quote: Quote },
): Decision {
  const next = state.phase === 'admitted' ? nextCreateStep(state) : undefined;
  if (state.phase !== 'admitted' || next?.step !== 'quote' || next.attempt.attempt !== attempt)
    return overtaken;
  const fxRate = quote.outcome === 'quoted' ? parseRate(quote.rate) : undefined;
  if (fxRate === undefined) {
    const reason = quote.outcome === 'unknown' ? (`quote_${quote.cause}` as const) : 'no_quote';
    return { events: skipRoute(state, { ...now, attempt, reason }) };
  }
  const needed = fundsNeeded(state.request, next.attempt.route, fxRate);
  if (!convertsToMoney(state.request.amount, { fxRate, currency: needed.currency }))
    return { events: skipRoute(state, { ...now, attempt, reason: 'converts_to_nothing' }) };
  return {
    events: [
      { type: 'ReservationRequested', data: { reservation: attempt, ...needed, fx_rate: fxRate } },
    ],
  };
}

/** The shop's balance, how far below zero it may go, and what the payout needs. */
export type Shortfall = { currency: string; balance: string; limit: string; need: string };

/** Skips a route whose provider was not called, and tries the next one. */
function skipRoute(
  state: Operation,
  {
    attempt,
    reason,
    funds,
    ...now
  }: CascadeNow & {
    attempt: number;
    reason: keyof typeof failureBySkipReason;
    funds?: Shortfall | undefined;
  },
): OperationEvent[] {
  const refused: OperationEvent = {
    type: 'AttemptRefused',
    data: { attempt, reason, ...(funds && { funds }) },
  };
  return [refused, ...tryNextRoute(state, { ...now, failure: failureBySkipReason[reason] })];
}

/**
 * Records the ledger's answer. Once the funds are reserved the provider may be called, unless the
 * acceptance wait is over. Without them a later route may need less, or another currency; without
 * one the payout is declined (R12.10).
 */
export function recordReservation(
  state: OperationState,
  {
    attempt,
    answer,
    funds,
    ...now
  }: CascadeNow & {
    attempt: number;
    answer: 'reserved' | 'insufficient_funds';
    funds?: Shortfall | undefined;
  },
): Decision {
  const next = state.phase === 'admitted' ? nextCreateStep(state) : undefined;
  if (state.phase !== 'admitted' || next?.step !== 'reserve' || next.attempt.attempt !== attempt)
    return overtaken;
  if (answer === 'insufficient_funds')
    return { events: skipRoute(state, { ...now, attempt, reason: 'insufficient_funds', funds }) };
  if (now.timeIsUp) return { events: [declined('acceptance_timeout')] };
  const { reservation } = next.reservation;
  return { events: [{ type: 'FundsReserved', data: { reservation, attempt } }] };
}

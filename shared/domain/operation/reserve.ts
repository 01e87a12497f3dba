import { convertsToMoney, parseRate } from '../figures.ts';
import { declined, fundsNeeded, goOn, type CascadeNow } from './cascade.ts';
import type { OperationEvent } from './events.ts';
import {
  currentReservation,
  isTerminal,
  passedOver,
  type Attempt,
  type Operation,
  type OperationState,
  type Reservation,
} from './state.ts';

/** A payout's funds: quoted where its route converts, reserved in the ledger, and only then sent on its way. */

/** What the process that creates an operation has to do next. */
export type CreateStep =
  | { step: 'quote'; attempt: Attempt }
  /** Reserve in the ledger, and release what earlier attempts held. */
  | { step: 'reserve'; attempt: Attempt; reservation: Reservation; release: readonly Reservation[] }
  | { step: 'submit'; attempt: Attempt };

/** The next step of a create; nothing once it has an outcome. */
export function nextCreateStep(operation: Operation): CreateStep | undefined {
  const attempt = operation.attempts.at(-1);
  if (operation.status !== 'creating' || attempt?.outcome !== 'started') return undefined;
  if (attempt.dispatched) return { step: 'submit', attempt };
  const reservation = currentReservation(operation);
  if (reservation?.reservation !== attempt.attempt) return { step: 'quote', attempt };
  return { step: 'reserve', attempt, reservation, release: operation.reservations.slice(0, -1) };
}

export type Quote =
  | { outcome: 'quoted'; rate: string }
  | { outcome: 'refused' }
  | { outcome: 'unknown'; cause: 'timeout' | 'error' };

type Decision = { events: OperationEvent[] } | { refusal: { code: 'attempt_overtaken' } };

const overtaken: Decision = { refusal: { code: 'attempt_overtaken' } };

/** Takes the rate of a converting route. Without one nothing was sent: the payout goes on to its next route. */
export function recordQuote(
  state: OperationState,
  { attempt, quote, ...now }: CascadeNow & { attempt: number; quote: Quote },
): Decision {
  const next = state.phase === 'admitted' ? nextCreateStep(state) : undefined;
  if (state.phase !== 'admitted' || next?.step !== 'quote' || next.attempt.attempt !== attempt)
    return overtaken;
  const fxRate = quote.outcome === 'quoted' ? parseRate(quote.rate) : undefined;
  const nothing = fxRate !== undefined && !convertsToMoney(state.request.amount, fxRate);
  if (nothing) return { events: passOver(state, { ...now, attempt, reason: 'converts_to_nothing' }) };
  if (fxRate === undefined) {
    const reason = quote.outcome === 'unknown' ? (`quote_${quote.cause}` as const) : 'no_quote';
    return { events: passOver(state, { ...now, attempt, reason }) };
  }
  const needed = fundsNeeded(state.request, next.attempt.route, fxRate);
  return {
    events: [{ type: 'ReservationRequested', data: { reservation: attempt, ...needed, fx_rate: fxRate } }],
  };
}

/** What the ledger had, how far below zero it may be, and what was asked of it. */
export type Shortfall = { currency: string; balance: string; limit: string; need: string };

/** On to the next route, before the provider of this one was ever called. */
function passOver(
  state: Operation,
  {
    attempt,
    reason,
    funds,
    ...now
  }: CascadeNow & {
    attempt: number;
    reason: keyof typeof passedOver;
    funds?: Shortfall | undefined;
  },
): OperationEvent[] {
  const refused: OperationEvent = {
    type: 'AttemptRefused',
    data: { attempt, reason, ...(funds && { funds }) },
  };
  return [refused, ...goOn(state, { ...now, failure: passedOver[reason] })];
}

/**
 * Takes the ledger's answer: with the funds reserved the provider may be called, unless the acceptance wait is over.
 * Without them a later route may do that needs less, or other funds; where there is none the payout is declined
 * (R12.10).
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
    return { events: passOver(state, { ...now, attempt, reason: 'insufficient_funds', funds }) };
  if (now.timeIsUp) return { events: [declined('acceptance_timeout')] };
  const { reservation } = next.reservation;
  return { events: [{ type: 'FundsReserved', data: { reservation, attempt } }] };
}

/** What the ledger owes an operation that has ended (architecture: the terminal event first, then the entry). */
export type OwedEntry =
  | { kind: 'credit'; currency: string; recorded: string; settlement: string; commission: string }
  | {
      kind: 'capture';
      reservation: number;
      currency: string;
      /** What was reserved; what is not charged goes back to the balance. */
      reserved: string;
      recorded: string;
      settlement: string;
      commission: string;
    }
  | {
      kind: 'release';
      reservation: number;
      currency: string;
      /** What the ledger was noted to hold; nothing where it is to look whether the reserve was ever made. */
      reserved?: string;
    };

/**
 * The entries that an operation's end owes: a payment's credit; a payout's capture of the reservation in force, or its
 * release. Every other reservation that was ever requested is released, too: a process that died may have made it.
 */
export function entriesOwed(operation: Operation): OwedEntry[] {
  const { status, settled, request } = operation;
  if (!isTerminal(status)) return [];
  const recorded = settled?.recorded_amount;
  const { settlement_amount: settlement, commission_amount: commission } = settled ?? {};
  const money = recorded !== undefined && settlement !== undefined && commission !== undefined;
  if (operation.type === 'payment') {
    if (!money) return [];
    const attempt = operation.attempts.find((each) => each.attempt === operation.accepted?.attempt);
    const currency = attempt?.route.conversion?.settlement_currency ?? request.currency;
    return [{ kind: 'credit', currency, recorded, settlement, commission }];
  }
  const inForce = currentReservation(operation);
  return operation.reservations.map((each): OwedEntry => {
    const { reservation, currency, amount: reserved, noted } = each;
    return money && each === inForce
      ? { kind: 'capture', reservation, currency, reserved, recorded, settlement, commission }
      : { kind: 'release', reservation, currency, ...(noted && { reserved }) };
  });
}

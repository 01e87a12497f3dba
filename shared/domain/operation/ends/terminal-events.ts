import { figuresFor } from '../../commission.ts';
import { compare, isZero, zero, type Amount } from '../../money.ts';
import type { DeclineCause, Leg, OperationEvent } from '../events.ts';
import type { ProviderReport } from '../reports/report.ts';
import { findAttempt, exchangeRate, type Operation } from '../state.ts';

/** The events that end an operation, with the figures of its settlement (R5.4). */

const noMoney = { actual_amount: zero, settlement_amount: zero, commission_amount: zero };

export function cancelled(reason: string): OperationEvent {
  return { type: 'OperationCancelled', data: { ...noMoney, reason } };
}

export function declined(reason: DeclineCause): OperationEvent {
  return { type: 'OperationDeclined', data: { ...noMoney, reason } };
}

export type End = 'completed' | 'partially_completed' | 'declined' | 'expired';

/** Ends an operation that a provider accepted, with the figures of the money that came. */
export function closing(
  state: Operation,
  end: End,
  money: {
    received: Amount;
    /** The legs that this event adds. */
    fresh: readonly Leg[];
    declinedBy?: 'provider' | 'review' | 'close';
    /** The provider's report that ends it, if one does. */
    report?: ProviderReport;
  },
): OperationEvent {
  if (end === 'expired') return { type: 'OperationExpired', data: noMoney };
  if (end === 'declined') return declined(money.declinedBy ?? 'provider');
  const route = state.accepted && findAttempt(state, state.accepted.attempt)?.route;
  if (!route) throw new Error('an operation without an accepted attempt can have no money');
  const figures = figuresFor(money.received, {
    type: state.type,
    currency: route.conversion?.settlement_currency ?? state.request.currency,
    commission: route.commission,
    fxRate: exchangeRate(state),
  });
  const isFullyShown = [...state.legs, ...money.fresh].every((leg) => isShown(leg, money.report));
  return {
    type: end === 'completed' ? 'OperationCompleted' : 'OperationPartiallyCompleted',
    data: {
      actual_amount: money.received,
      ...figures,
      legs: [...money.fresh],
      ...(isFullyShown && { evidence: 'legs' as const }),
    },
  };
}

/** Whether the stored leg is all the evidence that its provider has for it. */
function isShown(leg: Leg, report: ProviderReport | undefined): boolean {
  // The provider has no evidence for a leg that an operator approved, nor for one that it took
  // back.
  if (leg.synthetic || isZero(leg.amount)) return true;
  if (report?.evidence !== 'legs') return false;
  const [shown, ...more] = report.legs.filter(({ leg_id: id }) => id === leg.leg_id);
  return (
    shown !== undefined &&
    more.length === 0 &&
    compare(shown.amount, leg.amount) === 0 &&
    shown.completed_at === leg.completed_at &&
    shown.file === leg.file
  );
}

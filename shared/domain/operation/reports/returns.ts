import { compare, fromAmount, isZero, sum, toAmount, zero, type Amount } from '../../money.ts';
import type { Leg, OperationEvent, ReturnedMoney } from '../events.ts';
import type { Operation } from '../state.ts';
import type { ProviderReport } from './report.ts';

/** The difference, or zero if it would be negative. */
const remainder = (amount: Amount, deducted: Amount): Amount =>
  compare(amount, deducted) <= 0 ? zero : toAmount(fromAmount(amount).minus(deducted));

const smaller = (left: Amount, right: Amount): Amount => (compare(left, right) <= 0 ? left : right);

/** A provider's legs as the operation counts them: net of the returns before its end. */
export function netOfReturns({ returns }: Operation, legs: readonly Leg[]): Leg[] {
  if (returns.length === 0) return [...legs];
  return legs.map((leg) => {
    const back = returns.filter(({ ofLegId }) => ofLegId === leg.leg_id);
    return { ...leg, amount: remainder(leg.amount, sum(back.map(({ counted }) => counted))) };
  });
}

/**
 * The part of a return that the operation does not count. If the return has changed, the amount
 * first reported applies: an operator decides on the change.
 */
export function uncounted({ returns }: Operation, { leg_id: id, amount }: ReturnedMoney): Amount {
  const recorded = returns.find(({ legId }) => legId === id);
  return recorded ? remainder(recorded.amount, recorded.counted) : amount;
}

/**
 * The returns since the last report on an open operation: each once, and before it its leg if the
 * same report adds it. @returns `fresh`: the legs that are still to be recorded.
 */
export function returnsBy(
  state: Operation,
  {
    report: { attempt, returns = [] },
    fresh,
    by,
  }: { report: ProviderReport; fresh: readonly Leg[]; by: false | { report_version: number } },
): { events: OperationEvent[]; fresh: readonly Leg[] } {
  const recorded = new Set(state.returns.map(({ legId }) => legId));
  const back = returns.filter(({ leg_id: id }) => !recorded.has(id) && recorded.add(id));
  const isBack = ({ leg_id: id }: Leg) => back.some(({ of_leg_id: of }) => of === id);
  const legs = new Map([...state.legs, ...fresh].map((leg) => [leg.leg_id, leg]));
  const received = fresh.filter(isBack).map((leg): OperationEvent => ({
    type: 'LegReceived',
    data: { attempt, leg, ...by },
  }));
  const returned = back.map((each): OperationEvent => {
    const leg = legs.get(each.of_leg_id);
    // A provider can't take back what an operator approved.
    if (!leg || leg.synthetic)
      return { type: 'LegReturned', data: { attempt, returned: each, counted: zero, ...by } };
    const counted = smaller(each.amount, leg.amount);
    const left = { ...leg, amount: remainder(leg.amount, counted) };
    legs.set(leg.leg_id, left);
    return { type: 'LegReturned', data: { attempt, returned: each, counted, leg: left, ...by } };
  });
  return { events: [...received, ...returned], fresh: fresh.filter((leg) => !isBack(leg)) };
}

/** Whether money was received and some was returned; the caller knows that nothing is left. */
export const isAllReturned = ({ legs, returns = [] }: ProviderReport): boolean =>
  legs.length > 0 && returns.length > 0 && !isZero(sum(legs.map(({ amount }) => amount)));

import { compare, fromAmount, isZero, sum, toAmount, zero, type Amount } from '../../money.ts';
import type { Leg, OperationEvent, Returned } from '../events.ts';
import type { Operation } from '../state.ts';
import type { ProviderReport } from './report.ts';

/** What is left of an amount; zero where more is taken than there is. */
const less = (amount: Amount, taken: Amount): Amount =>
  compare(amount, taken) <= 0 ? zero : toAmount(fromAmount(amount).minus(taken));

const smaller = (left: Amount, right: Amount): Amount => (compare(left, right) <= 0 ? left : right);

/** A provider's legs as the operation counts them: less what went back of them before its end. */
export function lessReturns({ returns }: Operation, legs: readonly Leg[]): Leg[] {
  if (returns.length === 0) return [...legs];
  return legs.map((leg) => {
    const back = returns.filter(({ ofLegId }) => ofLegId === leg.leg_id);
    return { ...leg, amount: less(leg.amount, sum(back.map(({ counted }) => counted))) };
  });
}

/**
 * The part of a return that the operation does not count. A return that changed since is taken as
 * first reported: an operator decides on the change.
 */
export function uncounted({ returns }: Operation, { leg_id: id, amount }: Returned): Amount {
  const known = returns.find(({ legId }) => legId === id);
  return known ? less(known.amount, known.counted) : amount;
}

/**
 * What went back since the last report, of an operation that is still open: each return once, and
 * before it the leg that it is of, where that comes with it. @returns `fresh`: the legs that are
 * still to be taken.
 */
export function returnsBy(
  state: Operation,
  {
    report: { attempt, returns = [] },
    fresh,
    by,
  }: { report: ProviderReport; fresh: readonly Leg[]; by: false | { report_version: number } },
): { events: OperationEvent[]; fresh: readonly Leg[] } {
  const known = new Set(state.returns.map(({ legId }) => legId));
  const back = returns.filter(({ leg_id: id }) => !known.has(id) && known.add(id));
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
    const left = { ...leg, amount: less(leg.amount, counted) };
    legs.set(leg.leg_id, left);
    return { type: 'LegReturned', data: { attempt, returned: each, counted, leg: left, ...by } };
  });
  return { events: [...received, ...returned], fresh: fresh.filter((leg) => !isBack(leg)) };
}

/** Whether money came, and all of it went back. */
export const isAllReturned = ({ legs, returns = [] }: ProviderReport): boolean =>
  legs.length > 0 && returns.length > 0 && !isZero(sum(legs.map(({ amount }) => amount)));

import { amountOf, exactFigures, minorOf } from './exact-arithmetic.ts';
import { routeOf, type OperationFacts } from './fold.ts';

/**
 * What a payout cost above its terms (R12.16), by the auditor's own arithmetic. `agreed` is the
 * requested part, at the quoted rate at which funds were reserved.
 */
export function overchargeOf(
  facts: OperationFacts,
): { currency: string; agreed: string; charged: string } | undefined {
  const { type, end } = facts;
  const [route, reservation] = [routeOf(facts), facts.reservations.at(-1)];
  if (type !== 'payout' || end?.recorded === undefined || !route || !reservation) return undefined;
  const [actual, expected] = [minorOf(end.actual), minorOf(facts.amount)];
  const { settlement } = exactFigures(actual < expected ? actual : expected, {
    type,
    commission: route.commission,
    fxRate: reservation.fxRate,
  });
  if (actual <= expected && minorOf(end.settlement) <= settlement) return undefined;
  return { currency: reservation.currency, agreed: amountOf(settlement), charged: end.settlement };
}

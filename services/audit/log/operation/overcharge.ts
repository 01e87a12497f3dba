import { formatExactMinor, exactFigures, parseExactMinor } from './exact-arithmetic.ts';
import { auditedRoute, type OperationFacts } from './fold.ts';

/**
 * What a payout cost above its terms (R12.16), by the auditor's own arithmetic. `agreed` is the
 * requested part, at the quoted rate at which funds were reserved.
 */
export function computeOvercharge(
  facts: OperationFacts,
): { currency: string; agreed: string; charged: string } | undefined {
  const { type, end } = facts;
  const [route, reservation] = [auditedRoute(facts), facts.reservations.at(-1)];
  if (type !== 'payout' || end?.recorded === undefined || !route || !reservation) return undefined;
  const [actual, expected] = [parseExactMinor(end.actual), parseExactMinor(facts.amount)];
  const { settlement } = exactFigures(actual < expected ? actual : expected, {
    type,
    currency: reservation.currency,
    commission: route.commission,
    fxRate: reservation.fxRate,
  });
  if (actual <= expected && parseExactMinor(end.settlement) <= settlement) return undefined;
  return {
    currency: reservation.currency,
    agreed: formatExactMinor(settlement),
    charged: end.settlement,
  };
}

import { formatExactMinor, parseExactMinor } from './exact-arithmetic.ts';
import { auditedRoute, type OperationFacts } from './fold.ts';

/** Above this a payment has much more money than expected; null for a payout. */
export function findOverpaidThreshold(facts: OperationFacts): string | null {
  if (facts.type === 'payout') return null;
  const twice = 2n * parseExactMinor(facts.amount);
  const most = auditedRoute(facts)?.maxAmount;
  return most !== undefined && parseExactMinor(most) < twice ? most : formatExactMinor(twice);
}

/** What a payment has, if that is much more than was expected (R12.18); undefined if it is not. */
export function findOverpaidAmount(facts: OperationFacts): string | undefined {
  const [above, actual] = [findOverpaidThreshold(facts), facts.end?.actual];
  return above !== null && actual !== undefined && parseExactMinor(actual) > parseExactMinor(above)
    ? `${actual} of ${facts.amount} ${facts.currency}`
    : undefined;
}

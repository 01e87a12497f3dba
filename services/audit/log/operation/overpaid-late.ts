import type { AuditedEntity } from '../entities/entity.ts';
import { formatExactMinor, parseExactMinor, sumAmounts } from './exact-arithmetic.ts';
import { findOverpaidThreshold } from './overpaid.ts';

/**
 * What a payment has with what arrived after its end, whatever its status, if that is much more
 * than was expected (R12.18).
 */
export function overpaidLate({ operation, late }: AuditedEntity): string | undefined {
  const above = operation && findOverpaidThreshold(operation);
  if (!operation || above === null || above === undefined) return undefined;
  const { amount, currency, end } = operation;
  const arrived = late.filter((each) => each.ofLegId === undefined && each.currency === currency);
  const more = sumAmounts(arrived.map((each) => each.amount));
  const all = parseExactMinor(end?.actual ?? '0.00') + more;
  return more > 0n && all > parseExactMinor(above)
    ? `${formatExactMinor(all)} of ${amount} ${currency}`
    : undefined;
}

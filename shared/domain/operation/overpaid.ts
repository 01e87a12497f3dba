import { compare, sum } from '../money.ts';

/**
 * The amount above which a payment's money needs an operator's attention: twice the expected one,
 * or the most that its route takes. It is credited nevertheless (R12.18).
 */
export function overpaidAbove(expectedAmount: string, maxAmount: string | undefined): string {
  const twice = sum([expectedAmount, expectedAmount]);
  return maxAmount !== undefined && compare(maxAmount, twice) < 0 ? maxAmount : twice;
}

import { BigNumber } from 'bignumber.js';

/** Decimal strings with two places, as the wire has them; never a binary fraction in between. */

export function total(legs: readonly { amount: string }[]): string {
  return legs.reduce((sum, leg) => sum.plus(leg.amount), new BigNumber(0)).toFixed(2);
}

/** The part of `expected` that is missing; `0.00` when it is reached. */
export function missingAmount(expected: string, received: string): string {
  return BigNumber.max(0, new BigNumber(expected).minus(received)).toFixed(2);
}

export function reaches(received: string, expected: string): boolean {
  return new BigNumber(received).gte(expected);
}

export function half(amount: string): string {
  return new BigNumber(amount).dividedBy(2).toFixed(2, BigNumber.ROUND_DOWN);
}

export const isZeroAmount = (amount: string): boolean => new BigNumber(amount).isZero();

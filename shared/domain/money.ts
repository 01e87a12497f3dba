import { BigNumber } from 'bignumber.js';
import { decimalsIn } from './currencies.ts';

/**
 * Money is a decimal string with two places, computed with `BigNumber`: no binary floating point
 * ever touches an amount (R11.1).
 */
export type Amount = string;

/**
 * Amounts in the merchant API (R3.3): no sign, no leading zeros, at most 15 digits before the
 * point.
 */
export const amountPattern = /^(0|[1-9]\d{0,14})\.\d{2}$/;

export const zero: Amount = '0.00';

/** Rounds half up to two places. */
export function toAmount(value: BigNumber): Amount {
  return value.toFixed(2, BigNumber.ROUND_HALF_UP);
}

/** Rounds half up to the decimals of a currency. */
export function amountIn(currency: string, value: BigNumber): Amount {
  return toAmount(value.decimalPlaces(decimalsIn(currency), BigNumber.ROUND_HALF_UP));
}

/** Whether an amount has no more decimals than its currency. */
export function fitsCurrency(amount: Amount, currency: string): boolean {
  const decimals = decimalsIn(currency);
  return decimals >= 2 || amount.endsWith('0'.repeat(2 - decimals));
}

export function fromAmount(amount: Amount): BigNumber {
  return new BigNumber(amount);
}

export function sum(amounts: readonly Amount[]): Amount {
  return toAmount(amounts.reduce((total, amount) => total.plus(amount), new BigNumber(0)));
}

/** Negative, zero or positive, if `left` is less than, equal to or more than `right`. */
export function compare(left: Amount, right: Amount): number {
  return fromAmount(left).comparedTo(fromAmount(right)) ?? Number.NaN;
}

export function isZero(amount: Amount): boolean {
  return fromAmount(amount).isZero();
}

import { BigNumber } from 'bignumber.js';
import { amountIn, fromAmount, zero, type Amount } from './money.ts';

const ratePattern = /^\d{1,12}(\.\d{1,18})?$/;

/**
 * A provider's quote with six decimals (R11.7), rounded half up; undefined for anything but a
 * positive decimal.
 */
export function parseRate(quote: string | undefined): string | undefined {
  if (quote === undefined || !ratePattern.test(quote)) return undefined;
  const rate = new BigNumber(quote).toFixed(6, BigNumber.ROUND_HALF_UP);
  return rate === '0.000000' ? undefined : rate;
}

/**
 * Whether an amount is above 0.00 after the conversion, because an entry of 0.00 can't be posted.
 */
export const convertsToMoney = (
  amount: Amount,
  { fxRate, currency }: { fxRate: string; currency: string },
): boolean => amountIn(currency, fromAmount(amount).times(fxRate)) !== zero;

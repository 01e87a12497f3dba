import { expect, it } from 'vitest';
import { BigNumber } from 'bignumber.js';
import { currencies, decimalsIn } from './currencies.ts';
import { amountIn, fitsCurrency } from './money.ts';

it('has no ledgers in a currency with more decimals than amounts have places (R11.2)', () => {
  expect(decimalsIn('BHD')).toBe(3);
  expect(currencies.filter((currency) => decimalsIn(currency) > 2)).toEqual([]);
  expect(currencies.toSorted()).toEqual(currencies);
});

it.each([
  ['JPY', '0.50', '1.00'],
  ['JPY', '0.49', '0.00'],
  ['JPY', '149.995', '150.00'],
  ['RUB', '0.005', '0.01'],
  ['USDT', '0.0049', '0.00'],
])('rounds an amount to the decimals of %s: %s is %s (R11.2)', (currency, value, amount) => {
  expect(amountIn(currency, new BigNumber(value))).toBe(amount);
});

it.each([
  ['JPY', '1.00', true],
  ['JPY', '0.50', false],
  ['JPY', '-10.00', true],
  ['RUB', '0.50', true],
])('knows whether an amount has only the decimals of %s: %s (R3.3)', (currency, amount, fits) => {
  expect(fitsCurrency(amount, currency)).toBe(fits);
});

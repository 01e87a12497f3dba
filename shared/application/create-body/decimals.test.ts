import { expect, it } from 'vitest';
import { decimalErrors } from './decimals.ts';

it('refuses an amount with more decimals than its currency (R3.3)', () => {
  const detail = 'JPY has 0 decimals';
  expect(decimalErrors('JPY', { '/amount': '0.50', '/fixed': '1.00' })).toEqual([
    { pointer: '/amount', code: 'amount_invalid', detail },
  ]);
  expect(decimalErrors('RUB', { '/amount': '0.50' })).toEqual([]);
});

it('leaves values of other types to the rules of their fields', () => {
  expect(decimalErrors('JPY', { '/amount': 0.5 })).toEqual([]);
  expect(decimalErrors(undefined, { '/amount': '0.50' })).toEqual([]);
});

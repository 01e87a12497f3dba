import { expect, it } from 'vitest';
import { overpaidAbove } from './overpaid.ts';

it('is twice the expected amount, or what the route takes at most (R12.18)', () => {
  expect(overpaidAbove('100.00', undefined)).toBe('200.00');
  expect(overpaidAbove('100.00', '150.00')).toBe('150.00');
  expect(overpaidAbove('100.00', '200.01')).toBe('200.00');
});

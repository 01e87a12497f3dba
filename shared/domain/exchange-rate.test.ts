import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRate } from './exchange-rate.ts';
import { decimal, rational, rounded, units } from './testing/rational.ts';

describe('quoted rate', () => {
  it('is rounded half up to six decimals (R11.7)', () => {
    fc.assert(
      fc.property(decimal({ min: 0, max: 18 }, 10n ** 12n), (quote) => {
        const expected = rounded(rational(quote), 6);
        const parsed = parseRate(quote);
        expect(parsed === undefined ? 0n : units(parsed)).toBe(expected);
        expect(parsed === undefined || /^\d+\.\d{6}$/.test(parsed)).toBe(true);
      }),
    );
  });

  it.each(['0', '0.0000004', '-1', '1e3', '', 'NaN', '1.', '.5', ' 1', '1'.repeat(13)])(
    'is invalid: "%s"',
    (quote) => {
      expect(parseRate(quote)).toBeUndefined();
    },
  );
});

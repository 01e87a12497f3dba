import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresFor } from './figures.ts';

const fixed = (digits: number, max: bigint) =>
  fc.bigInt({ min: 0n, max }).map((units) => {
    const text = units.toString().padStart(digits + 1, '0');
    return { units, text: `${text.slice(0, -digits)}.${text.slice(-digits)}` };
  });

/** numerator / denominator, rounded half up, in integers alone. */
const halfUp = (numerator: bigint, denominator: bigint) =>
  (2n * numerator + denominator) / (2n * denominator);

describe('figures', () => {
  it.each([
    ['payment', '100.00', '2.50', '0.00', undefined, ['100.00', '2.50', '97.50']],
    ['payout', '100.00', '2.50', '1.00', undefined, ['100.00', '3.50', '103.50']],
    ['payment', '0.20', '2.50', '0.00', undefined, ['0.20', '0.01', '0.19']],
    ['payment', '1.00', '0.00', '5.00', undefined, ['1.00', '1.00', '0.00']],
    ['payment', '100.00', '1.00', '0.00', '0.012500', ['1.25', '0.01', '1.24']],
    ['payment', '0.00', '2.50', '5.00', undefined, ['0.00', '0.00', '0.00']],
  ] as const)('of a %s of %s at %s %% + %s, rate %s', (type, amount, percent, fixedFee, fxRate, expected) => {
    const { recorded_amount, commission_amount, settlement_amount } = figuresFor(amount, {
      type,
      commission: { percent, fixed: fixedFee },
      fxRate,
    });
    expect([recorded_amount, commission_amount, settlement_amount]).toEqual(expected);
  });

  it('agree with exact integer arithmetic for any amount, rate and commission', () => {
    fc.assert(
      fc.property(
        fixed(2, 10n ** 17n - 1n),
        fixed(6, 10n ** 9n),
        fixed(2, 10_000n),
        fixed(2, 10n ** 6n),
        fc.constantFrom('payment', 'payout'),
        (amount, rate, percent, fee, type) => {
          const recorded = halfUp(amount.units * rate.units, 10n ** 6n);
          const full = recorded === 0n ? 0n : halfUp(recorded * percent.units, 10_000n) + fee.units;
          const commission = type === 'payment' && full > recorded ? recorded : full;
          const figures = figuresFor(amount.text, {
            type,
            commission: { percent: percent.text, fixed: fee.text },
            fxRate: rate.text,
          });
          const units = (text: string) => BigInt(text.replace('.', ''));
          expect(units(figures.recorded_amount)).toBe(recorded);
          expect(units(figures.commission_amount)).toBe(commission);
          expect(units(figures.settlement_amount)).toBe(
            type === 'payment' ? recorded - commission : recorded + commission,
          );
        },
      ),
    );
  });
});

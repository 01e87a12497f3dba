import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresFor } from './commission.ts';
import { decimal, rational, rounded, times, units, type Rational } from './testing/rational.ts';

const anyAmount = decimal(2, 10n ** 15n);
const anyRate = decimal(6, 10n ** 6n);
const anyPercent = fc.oneof(
  decimal({ min: 0, max: 4 }, 100n),
  fc.constantFrom('0', '100', '100.0000'),
);
const anyFee = fc.oneof(fc.constant('0.00'), decimal(2, 10n ** 4n), anyAmount);

describe('figuresFor', () => {
  it.each([
    ['payment', '100.00', '2.50', '0.00', undefined, ['100.00', '2.50', '97.50']],
    ['payout', '100.00', '2.50', '1.00', undefined, ['100.00', '3.50', '103.50']],
    ['payment', '0.20', '2.50', '0.00', undefined, ['0.20', '0.01', '0.19']],
    ['payment', '1.00', '0.00', '5.00', undefined, ['1.00', '1.00', '0.00']],
    ['payment', '100.00', '1.00', '0.00', '0.012500', ['1.25', '0.01', '1.24']],
    ['payment', '0.00', '2.50', '5.00', undefined, ['0.00', '0.00', '0.00']],
    // Converts to 0.00: a payout is still charged the fixed part, a payment no more than its base.
    ['payout', '0.39', '2.50', '5.00', '0.012500', ['0.00', '5.00', '5.00']],
    ['payment', '0.39', '2.50', '5.00', '0.012500', ['0.00', '0.00', '0.00']],
  ] as const)(
    'computes a %s of %s at %s %% + %s, rate %s (R11.3)',
    (type, amount, percent, fixedFee, fxRate, expected) => {
      const { recorded_amount, commission_amount, settlement_amount } = figuresFor(amount, {
        type,
        currency: 'RUB',
        commission: { percent, fixed: fixedFee },
        fxRate,
      });
      expect([recorded_amount, commission_amount, settlement_amount]).toEqual(expected);
    },
  );

  it('equals exact rational arithmetic for any amount, rate and commission (R11.1)', () => {
    fc.assert(
      fc.property(
        anyAmount,
        fc.option(anyRate, { nil: undefined }),
        anyPercent,
        anyFee,
        fc.constantFrom('payment', 'payout'),
        (amount, fxRate, share, fixed, type) => {
          const recorded = rounded(times(rational(amount), rational(fxRate ?? '1')), 2);
          const base: Rational = { numerator: recorded, denominator: 100n };
          const hundredth: Rational = { numerator: 1n, denominator: 100n };
          const full = rounded(times(times(base, rational(share)), hundredth), 2) + units(fixed);
          const capped = type === 'payment' && full > recorded ? recorded : full;
          const commission = units(amount) === 0n ? 0n : capped;
          const settlement = type === 'payment' ? recorded - commission : recorded + commission;
          const figures = figuresFor(amount, {
            type,
            currency: 'RUB',
            commission: { percent: share, fixed },
            fxRate,
          });
          expect(Object.values(figures).every((text) => /^\d+\.\d{2}$/.test(text))).toBe(true);
          expect({
            recorded: units(figures.recorded_amount),
            commission: units(figures.commission_amount),
            settlement: units(figures.settlement_amount),
          }).toEqual({ recorded, commission, settlement });
          expect(type === 'payout' || commission <= recorded).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('has only whole figures in a currency without decimals (R11.2)', () => {
    const commission = { percent: '2.50', fixed: '10.00' };
    const terms = { type: 'payment', currency: 'JPY', commission } as const;
    expect(figuresFor('150.00', terms)).toEqual({
      recorded_amount: '150.00',
      commission_amount: '14.00',
      settlement_amount: '136.00',
    });
    expect(figuresFor('100.00', { ...terms, fxRate: '1.755000' }).recorded_amount).toBe('176.00');
  });

  it.each([
    ['100.00', '0.0050', '0.01'],
    ['100.00', '0.0049', '0.00'],
    ['0.10', '5.00', '0.01'],
    ['0.10', '4.99', '0.00'],
    ['999999999999999.99', '99.9999', '999998999999999.99'],
  ])('rounds half a cent up: %s at %s %% (R11.2)', (amount, share, commission) => {
    const terms = { percent: share, fixed: '0.00' };
    const options = { type: 'payout', currency: 'RUB', commission: terms } as const;
    expect(figuresFor(amount, options).commission_amount).toBe(commission);
  });
});

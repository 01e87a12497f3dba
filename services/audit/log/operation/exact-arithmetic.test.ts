import fc from 'fast-check';
import { expect, it } from 'vitest';
import { figuresFor } from '#shared/domain/commission.ts';
import { parseRate } from '#shared/domain/exchange-rate.ts';
import { formatExactMinor, exactFigures, parseExactMinor, sixPlaces } from './exact-arithmetic.ts';

it.each([
  // amount, rate, percent, fixed, recorded, commission
  ['100.00', undefined, '2.50', '0.00', '100.00', '2.50'],
  ['0.01', undefined, '50', '0.00', '0.01', '0.01'],
  ['0.01', undefined, '49.9999', '0.00', '0.01', '0.00'],
  ['0.20', '0.025000', '0', '0.00', '0.01', '0.00'],
  ['0.19', '0.025000', '0', '0.00', '0.00', '0.00'],
  ['999999999999999.99', '0.012345', '33.3333', '15.00', '12345000000000.00', '4114995885015.00'],
])(
  'rounds half up: %s at %s, %s %% and %s',
  (amount, fxRate, percent, fixed, recorded, commission) => {
    const figures = exactFigures(parseExactMinor(amount), {
      type: 'payout',
      currency: 'RUB',
      commission: { percent, fixed },
      fxRate,
    });
    expect(formatExactMinor(figures.recorded)).toBe(recorded);
    expect(formatExactMinor(figures.commission)).toBe(commission);
  },
);

it('equals the gateway’s figures for every amount, rate and route (R18.4)', () => {
  const amount = fc.bigInt({ min: 0n, max: 99_999_999_999_999_999n }).map(formatExactMinor);
  const fxRate = fc.option(
    fc.integer({ min: 1, max: 999_999_999 }).map((n) => (n / 1e6).toFixed(6)),
    { nil: undefined },
  );
  const percent = fc.integer({ min: 0, max: 1_000_000 }).map((n) => (n / 1e4).toFixed(4));
  const fixed = fc.bigInt({ min: 0n, max: 99_999n }).map(formatExactMinor);
  const type = fc.constantFrom('payment' as const, 'payout' as const);
  const currency = fc.constantFrom('RUB', 'JPY');
  fc.assert(
    fc.property(fc.record({ amount, fxRate, percent, fixed, type, currency }), (input) => {
      const route = {
        type: input.type,
        currency: input.currency,
        commission: { percent: input.percent, fixed: input.fixed },
        fxRate: input.fxRate,
      };
      const exact = exactFigures(parseExactMinor(input.amount), route);
      expect({
        recorded_amount: formatExactMinor(exact.recorded),
        commission_amount: formatExactMinor(exact.commission),
        settlement_amount: formatExactMinor(exact.settlement),
      }).toEqual(figuresFor(input.amount, route));
    }),
    { numRuns: 300 },
  );
});

it.each([
  '0.0125',
  '12',
  '0.0000004',
  '0.0000005',
  '1.9999995',
  '0',
  '-1',
  '1e3',
  '',
  '1234567890123',
])('parses the rate %s as the gateway does', (rate) => {
  expect(sixPlaces(rate)).toBe(parseRate(rate));
});

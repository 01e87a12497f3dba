import { expect, it } from 'vitest';
import { routeSchema } from '../routing.ts';
import { createEstimate } from './charge.ts';

const route = (more: object) =>
  routeSchema.parse({
    type: 'payout',
    method: 'WT_RUB_C2C',
    currency: 'RUB',
    provider: 'sandbox',
    commission: { percent: '2', fixed: '5.00' },
    ...more,
  });
const order = (amount: string, method = 'WT_RUB_C2C') => ({ method, amount, currency: 'RUB' });

it('estimates a file by the route that each row would take first (R24.13)', () => {
  const estimate = createEstimate([
    route({ priority: 2, commission: { percent: '50' } }),
    route({ max_amount: '1000.00' }),
    route({ method: 'WT_RUB_PHONE', conversion: { settlement_currency: 'USD', fx_source: 'x' } }),
  ]);
  for (const amount of ['100.00', '1000.00', '1000.01']) estimate.add(order(amount));
  estimate.add(order('7.00', 'WT_RUB_PHONE'));
  const { charges, ...others } = estimate.result();
  // 2 % and 5.00 of the first two; 50 % of the third, which the first route does not take.
  const charge = { commission: '532.01', total: '2632.02' };
  expect(charges).toEqual(new Map([['RUB', charge]]));
  expect(others).toEqual({ withoutRoute: 0, converted: 1 });
});

it('counts the rows that no route takes, and charges nothing for them (R24.13)', () => {
  const estimate = createEstimate([route({ type: 'payment' }), route({ min_amount: '10.00' })]);
  estimate.add(order('9.99'));
  expect(estimate.result()).toEqual({ charges: new Map(), withoutRoute: 1, converted: 0 });
});

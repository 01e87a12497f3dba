import { expect, it } from 'vitest';
import { routeKey } from '#shared/domain/daily-limits.ts';
import { route } from '#shared/domain/operation/testing/given.ts';
import { ShopDays } from './shop-days.ts';

const at = Date.parse('2026-01-31T12:00:00.000Z');
const slot = (request: string, operationId: string) => ({
  request,
  operationId,
  amount: '100.00',
});
const another = { operationId: 'another' };
const createDays = () => new ShopDays(() => at);

it('takes no second slot for a concurrent repeat, which releases only its own (R7.17)', () => {
  const days = createDays();
  days.take(route(), slot('first', 'x'));
  days.take(route(), slot('repeat', 'x'));
  expect(days.usedBy(route(), another)).toEqual({ count: 1, amount: '100.00' });
  days.release('repeat');
  expect(days.usedBy(route(), another)).toEqual({ count: 1, amount: '100.00' });
  days.release('first');
  expect(days.usedBy(route(), another).count).toBe(0);
});

it('counts a logged attempt once, however many requests hold a slot for it', () => {
  const days = createDays();
  days.take(route(), slot('first', 'x'));
  days.take(route(), slot('repeat', 'x'));
  const of = { operationId: 'x', shopId: 's', key: routeKey(route()), day: '2026-01-31' };
  days.apply({ ...of, amount: '100.00', times: 1, position: 1n });
  expect(days.usedBy(route(), another).count).toBe(1);
});

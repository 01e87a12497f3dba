import { expect, it } from 'vitest';
import { routeKey } from '#shared/domain/daily-limits.ts';
import { route } from '#shared/domain/operation/testing/given.ts';
import { ShopDays } from './shop-days.ts';

const at = Date.parse('2026-01-31T12:00:00.000Z');
const place = (request: string, operationId: string) => ({
  request,
  operationId,
  amount: '100.00',
});
const another = { operationId: 'another' };
const given = () => new ShopDays(() => at);

it('a repeat under way takes no second place, and gives back its own alone (R7.17)', () => {
  const days = given();
  days.take(route(), place('first', 'x'));
  days.take(route(), place('repeat', 'x'));
  expect(days.usedBy(route(), another)).toEqual({ count: 1, amount: '100.00' });
  days.release('repeat');
  expect(days.usedBy(route(), another)).toEqual({ count: 1, amount: '100.00' });
  days.release('first');
  expect(days.usedBy(route(), another).count).toBe(0);
});

it('what the log has counts once, whichever requests held a place for it', () => {
  const days = given();
  days.take(route(), place('first', 'x'));
  days.take(route(), place('repeat', 'x'));
  const of = { operationId: 'x', shopId: 's', key: routeKey(route()), day: '2026-01-31' };
  days.apply({ ...of, amount: '100.00', times: 1, position: 1n });
  expect(days.usedBy(route(), another).count).toBe(1);
});

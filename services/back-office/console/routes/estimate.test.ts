import { expect, test } from 'vitest';
import { route as cardRoute } from '#shared/domain/operation/testing/create.ts';
import type { Route } from '#shared/domain/routing.ts';
import { estimate, type Group, type Rate } from './estimate.ts';

const route = (change: Partial<Route> = {}): Route =>
  cardRoute({ provider: 'a', commission: { percent: '2.00', fixed: '1.00' }, ...change });
const group = (amount: string, operations: number): Group => ({
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  amount,
  operations,
});
const rate = (provider: string, attempts: number, accepted: number): Rate => ({
  provider,
  type: 'payment',
  method: 'WT_RUB_C2C',
  attempts,
  accepted,
});
const noSkip = () => undefined;

test('passes refused operations on to the next provider, by the rate of acceptance', () => {
  const routes = [route(), route({ provider: 'b', priority: 2 })];
  const rates = [rate('a', 10, 6), rate('b', 10, 5)];
  const estimated = estimate(routes, { groups: [group('100.00', 100)], rates, skip: noSkip });
  expect(estimated).toMatchObject({
    operations: 100,
    accepted: 80,
    byProvider: [
      { provider: 'a', currency: 'RUB', accepted: 60, commission: 180, withoutHistory: false },
      { provider: 'b', accepted: 20, commission: 60 },
    ],
  });
});

test('assigns nothing to an amount without a route, or to a provider that is off', () => {
  const routes = [route({ max_amount: '50.00' }), route({ provider: 'off', priority: 2 })];
  const skip = ({ provider }: Route) => (provider === 'off' ? 'provider_off' : undefined);
  const groups = [group('100.00', 3), group('50.00', 2)];
  expect(estimate(routes, { groups, rates: [rate('a', 1, 1)], skip })).toMatchObject({
    operations: 5,
    accepted: 2,
    byProvider: [{ provider: 'a', accepted: 2 }],
  });
});

test('assumes that a provider without history accepts everything, and marks it', () => {
  const [only] = estimate([route()], {
    groups: [group('1.00', 4)],
    rates: [],
    skip: noSkip,
  }).byProvider;
  expect(only).toMatchObject({ accepted: 4, withoutHistory: true });
});

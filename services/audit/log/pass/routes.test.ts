import { expect, it } from 'vitest';
import { route } from '#shared/domain/operation/testing/create.ts';
import { nextRoutes, applyRoutesReplaced, whyNoRoute, type RouteSets } from './routes.ts';

const startMs = Date.parse('2026-01-31T12:00:00.000Z');
const at = (seconds: number) => startMs + seconds * 1_000;
const dearer = route({ commission: { percent: '90', fixed: '0.00' } });

it('accepts the routes at the admission and in the minute before (R18.15)', () => {
  const sets: RouteSets = [];
  applyRoutesReplaced(sets, [route()], at(0));
  applyRoutesReplaced(sets, [dearer], at(100));
  const why = (attempted: typeof dearer, seconds: number) =>
    whyNoRoute(sets, { route: attempted, admittedMs: at(seconds) });
  expect(why(route(), 99)).toBeUndefined();
  expect(why(route(), 160)).toBeUndefined();
  expect(why(route(), 161)).toBe(
    'it uses payment WT_RUB_C2C by sandbox at 2.50 % and 0.00, the shop had payment WT_RUB_C2C by sandbox at 90 % and 0.00 at that time',
  );
  expect(why(dearer, 39)).toMatch(
    /at 90 % and 0.00, the shop had .* at 2.50 % and 0.00 at that time$/,
  );
  expect(why(dearer, 100)).toBeUndefined();
});

it('forgets sets of routes that were replaced a day ago', () => {
  const sets: RouteSets = [];
  for (const hours of [0, 1, 26]) applyRoutesReplaced(sets, [route()], at(hours * 3_600));
  expect(sets.map(({ fromMs }) => fromMs)).toEqual([at(3_600), at(26 * 3_600)]);
});

it('orders the routes that fit by priority, then as the operator did (R18.15)', () => {
  const sets: RouteSets = [];
  const last = route({ priority: 2 });
  const small = route({ max_amount: '99.99' });
  const payouts = route({ type: 'payout' });
  applyRoutesReplaced(sets, [last, small, payouts, dearer, route()], at(0));
  const next = (seconds: number, before: number) =>
    nextRoutes(
      sets,
      {
        type: 'payment',
        method: 'WT_RUB_C2C',
        currency: 'RUB',
        amount: '100.00',
        admittedMs: at(seconds),
      },
      before,
    );
  expect([0, 1, 2, 3].map((before) => next(0, before))).toEqual([[dearer], [route()], [last], []]);
  // A create may have read the routes that were replaced a minute before.
  applyRoutesReplaced(sets, [route()], at(100));
  expect(next(160, 0)).toEqual([dearer, route()]);
  expect(next(161, 0)).toEqual([route()]);
});

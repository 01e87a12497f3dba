import { expect, it } from 'vitest';
import type { Command, Done } from './commands.ts';
import { explain } from './explain.ts';
import { newShop, type ShopModel } from './shop-model.ts';

const create: Command = { do: 'create', key: 'payment', amount: '10.00', link: false, by: 0 };
const payout: Command = { ...create, key: 'payout' };
const cancel: Command = { do: 'cancel', key: 'payment', named: 'key', by: 0 };
const read: Command = { do: 'read', key: 'payment', named: 'key', by: 0 };
const balances: Command = { do: 'balances', by: 0 };

const view = (status: string, more: object = {}) => ({
  type: 'payment',
  method: 'WT_RUB_C2C',
  status,
  expected_amount: '10.00',
  actual_amount: '0.00',
  settlement_amount: status === 'pending' ? '9.75' : '0.00',
  ...(status !== 'cancelled' && { number: '22' }),
  ...more,
});
const done = (command: Command, status: number, body: object, replayed = false): Done => ({
  command,
  answer: { status, replayed, body: body as Record<string, unknown> },
});
const cancelled = { outcome: 'cancelled', operation: { status: 'cancelled' } };
const notFound = { code: 'operation_not_found' };
const row = (balance: string, reserved: string, minus: string) => ({
  balances: [{ currency: 'RUB', balance, reserved, current_minus: minus }],
});
const modelsAfter = (...groups: Done[][]) =>
  groups.reduce<readonly ShopModel[]>((models, group) => explain(models, group), [newShop]).length;

it('finds the orders that explain what was answered at once', () => {
  expect(modelsAfter([done(read, 404, notFound), done(create, 200, view('pending'))])).toBe(1);
  // Before or after: both end in the same model.
  const race = [done(create, 200, view('cancelled')), done(cancel, 200, cancelled)];
  expect(modelsAfter(race, [done(read, 200, view('cancelled'))])).toBe(1);
  const twice = [done(create, 200, view('pending'), true), done(create, 200, view('pending'))];
  expect(modelsAfter(twice)).toBe(1);
});

it.each([
  [
    'two creates of one key, both the first',
    [[done(create, 200, view('pending')), done(create, 200, view('pending'))]],
  ],
  ['a create that is gone', [[done(create, 200, view('pending'))], [done(read, 404, notFound)]]],
  [
    'requisites after a cancel',
    [
      [done(create, 200, view('pending')), done(cancel, 200, cancelled)],
      [done(read, 200, view('pending'))],
    ],
  ],
  [
    'requisites of what was cancelled',
    [[done(cancel, 200, cancelled)], [done(create, 200, view('cancelled', { number: '22' }))]],
  ],
  ['another amount', [[done(create, 200, view('pending', { expected_amount: '20.00' }))]]],
  [
    'a reserve that does not count',
    [
      [done(payout, 200, view('pending', { type: 'payout' }))],
      [done(balances, 200, row('0.00', '0.00', '0.00'))],
    ],
  ],
  [
    'two payouts where there is room for one',
    [
      [
        done(payout, 200, view('pending', { type: 'payout' })),
        done({ ...payout, key: 'payout-2' }, 200, view('pending', { type: 'payout' })),
      ],
    ],
  ],
])('finds none for %s', (_name, groups) => expect(modelsAfter(...groups)).toBe(0));

it('knows what a settled payout leaves', () => {
  const settle: Done = done({ do: 'settle', key: 'payout', result: 'completed' }, 200, {});
  const created = done(payout, 200, view('pending', { type: 'payout' }));
  const shown = (...texts: [string, string, string]) => [done(balances, 200, row(...texts))];
  expect(
    modelsAfter(
      [created],
      shown('-10.25', '10.25', '0.00'),
      [settle],
      shown('-10.25', '0.00', '10.25'),
    ),
  ).toBe(1);
});

import { expect, test } from 'vitest';
import { route } from '#shared/domain/operation/testing/create.ts';
import { routeSchema, type Route } from '#shared/domain/routing.ts';
import { commissionText, routeChanges } from './difference.ts';
import { editedValues, readOriginalIndexes, readRoutesForm, toFormValues } from './values.ts';

const full = route({
  min_amount: '10.00',
  max_amount: '1000.00',
  daily_count: 500,
  daily_amount: '100000.00',
  requires_receipt: true,
  conversion: { settlement_currency: 'USD', fx_source: 'sandbox' },
  options: { a: [1, { b: null }] },
});

test('converts routes to form values and back', () => {
  const routes = [route(), full];
  expect(readRoutesForm(toFormValues(routes))).toEqual(routes);
  expect(readOriginalIndexes(toFormValues(routes))).toEqual([0, 1]);
});

test('does not replace a removed account of a route with the environment’s account', () => {
  const second = route({ account: 'second' });
  expect(readRoutesForm(toFormValues([second]))).toEqual([second]);
  // A removed account is not an option, so the field is sent empty or not at all.
  const { '0_account': _, ...without } = toFormValues([second]);
  for (const values of [without, { ...without, '0_account': '' }])
    expect(readRoutesForm(values)).toEqual([{ ...second, account: '' }]);
  expect(routeSchema.safeParse({ ...second, account: '' }).success).toBe(false);
  expect(readRoutesForm(toFormValues([route({ account: 'default' })]))).toEqual([route()]);
});

test('gives an added route no origin, and retains those of the others', () => {
  const added = editedValues({ ...toFormValues([route(), full]), add: '1' }) ?? {};
  expect(readOriginalIndexes(added)).toEqual([0, 1, -1]);
  const removed = editedValues({ ...added, remove: '0' }) ?? {};
  expect(readOriginalIndexes(removed)).toEqual([1, -1]);
  expect(readRoutesForm(removed)[0]).toEqual(full);
  expect(editedValues(toFormValues([full]))).toBeUndefined();
});

test('describes removed, added and changed routes in both languages', () => {
  const before = [route(), full, route({ priority: 3 })];
  const after = [
    route({ priority: 2, max_amount: '5.00' }),
    route({ type: 'payout' }),
    route({ priority: 3 }),
  ];
  const changesIn = (language: 'en' | 'ru') =>
    routeChanges(language, { before, after, origins: [0, -1, 2] });
  expect(
    changesIn('en').map(
      ({ what, text: description }) => `${what}: ${description.replaceAll(/\s/g, ' ')}`,
    ),
  ).toEqual([
    'Removed: Payment WT_RUB_C2C → sandbox, Priority 1, 2.50%',
    expect.stringMatching(
      /^Changed: Payment WT_RUB_C2C → sandbox \(1\): Priority: 1 → 2; Amount up to: none → \D*5.00\D*$/,
    ),
    'Added: Payout WT_RUB_C2C → sandbox, Priority 1, 2.50%',
  ]);
  expect(changesIn('ru').map(({ what }) => what)).toEqual(['Убран', 'Изменён', 'Добавлен']);
});

test('reports a changed order, and nothing for unchanged routes', () => {
  const routes = [route(), full];
  expect(routeChanges('en', { before: routes, after: routes, origins: [0, 1] })).toEqual([]);
  const reordered = routeChanges('en', {
    before: routes,
    after: routes.toReversed(),
    origins: [1, 0],
  });
  expect(reordered).toMatchObject([{ what: 'Order' }]);
});

test('writes commissions as people do, in both languages', () => {
  const both = (percent: string, fixed: string, conversion?: Route['conversion']) =>
    (['en', 'ru'] as const).map((language) =>
      commissionText(language, route({ commission: { percent, fixed }, conversion })).replaceAll(
        /\s/g,
        ' ',
      ),
    );
  expect(both('2.50', '0.00')).toEqual(['2.50%', '2,50 %']);
  expect(both('0.1234', '10.00')).toEqual(['0.1234% + ₽10.00', '0,1234 % + 10,00 ₽']);
  // In the currency that it is taken from.
  expect(both('1', '0.50', full.conversion)).toEqual(['1% + $0.50', '1 % + 0,50 $']);
});

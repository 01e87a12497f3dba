import { expect, it } from 'vitest';
import { changeShopAction } from './shops.ts';

const need = 'payout_batches_need_second_member';
const rate = { rate_limit_per_second: '100', rate_limit_burst: '200' };
const rendered = { name: 'Shop', support: 'a@b.example', ...rate };
const saved = (values: Readonly<Record<string, string>>, before = {}) =>
  changeShopAction.body?.(
    { ...rendered, ...values, rendered: JSON.stringify({ ...rendered, ...before }) },
    { zone: 'UTC' },
  );

it('the settings form sends only the settings that were changed in it', () => {
  expect(saved({})).toEqual({});
  expect(saved({ name: ' Shop ' })).toEqual({});
  expect(saved({ support: '' })).toEqual({ support: null });
  expect(saved({ rate_limit_burst: '300' })).toEqual({
    rate_limit: { per_second: 100, burst: 300 },
  });
});

it('the form sends the second-member setting only if it was changed (R24.6)', () => {
  expect(saved({})).not.toHaveProperty(need);
  expect(saved({ [need]: 'on' }, { [need]: 'on' })).not.toHaveProperty(need);
  expect(saved({ [need]: 'on' })).toEqual({ [need]: true });
  expect(saved({}, { [need]: 'on' })).toEqual({ [need]: false });
});

it('the settings form sends every setting if it lacks the rendered values', () => {
  expect(changeShopAction.body?.(rendered, { zone: 'UTC' })).toHaveProperty('name', 'Shop');
});

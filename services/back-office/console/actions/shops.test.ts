import { expect, it } from 'vitest';
import { changeShop } from './shops.ts';

const need = 'payout_batches_need_second_member';
const before = 'second_member_before';
const saved = (values: Readonly<Record<string, string>>) =>
  changeShop.body?.({ name: 'Shop', ...values });

it('the settings form sends the second-member setting only if it was changed (R24.6)', () => {
  expect(saved({})).not.toHaveProperty(need);
  expect(saved({ [need]: 'on', [before]: 'on' })).not.toHaveProperty(need);
  expect(saved({ [need]: 'on' })).toHaveProperty(need, true);
  expect(saved({ [before]: 'on' })).toHaveProperty(need, false);
});

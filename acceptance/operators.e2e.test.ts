import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, control, sendRequest, target } from './support/http.ts';
import { expectStatus } from './support/problem.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openTestShop } from './support/shop.ts';
import { until } from './support/until.ts';

/** Sends requests with another token than the admin's. */
const as = (token: string) => (method: string, path: string, json?: unknown) =>
  sendRequest(`${target.admin}/admin/v1${path}`, {
    method,
    ...(json === undefined ? {} : { json }),
    headers: { authorization: `Bearer ${token}` },
  });

const lateEntry = async (shopId: string): Promise<Json> => {
  const openEntries = async () =>
    (await admin('GET', `/suspense?shop_id=${shopId}&status=open`)).body.entries as Json[];
  const entries = await until('late money', openEntries, {
    holds: (found) => found.some(({ kind }) => kind === 'late_money'),
  });
  return entries.find(({ kind }) => kind === 'late_money');
};

describe('operators', () => {
  it('credit late money of a payment to the shop, which sees it at once', async () => {
    const shop = await openTestShop({ routes: [route()] });
    const { operation_id: id } = await shop.made(shop.pay());
    await expectStatus(shop.cancel({ operation_id: id }), 200);
    await control(id, 'late-money', { amount: '12.34' });
    const { entry_id: entryId } = await lateEntry(shop.shopId);
    const issued = await expectStatus(
      admin('POST', '/tokens', { name: 'Ольга', role: 'operator' }),
      201,
    );
    const body = { resolution: 'credit_shop', note: 'the payer did pay' };
    const resolved = await expectStatus(
      as(issued.token)('POST', `/suspense/${entryId}/resolve`, body),
      200,
    );
    expect(resolved).toMatchObject({
      ...body,
      status: 'resolved',
      amount: '12.34',
      resolved_by: 'Ольга',
    });
    const { balances } = await expectStatus(shop.call('/v1/balances'), 200);
    expect(balances.find(({ currency }: Json) => currency === 'RUB').balance).toBe('12.34');
    expect(await shop.state(id)).toMatchObject({ status: 'cancelled', actual_amount: '0.00' });
    await until(
      'the list',
      async () => (await admin('GET', `/suspense?shop_id=${shop.shopId}`)).body.entries,
      {
        holds: (entries: Json[]) => entries.some(({ status }) => status === 'resolved'),
      },
    );
    const { entries } = await expectStatus(admin('GET', `/shops/${shop.shopId}/ledger/RUB`), 200);
    expect(entries.map(({ kind }: Json) => kind)).toEqual(['resolution', 'suspense']);
  });

  it('charge a shop for a declined payout that was paid out', async () => {
    const shop = await openTestShop({ routes: [payoutRoute()] });
    const id = await shop.settled(shop.payout(), 'declined');
    await until('declined', async () => shop.state(id), {
      holds: ({ status }) => status === 'declined',
    });
    await control(id, 'late-money', { amount: '12.34' });
    const { entry_id: entryId } = await lateEntry(shop.shopId);
    const resolve = async (resolution: string) =>
      admin('POST', `/suspense/${entryId}/resolve`, { resolution, note: 'as agreed' });
    expect((await resolve('credit_shop')).body.code).toBe('invalid_request');
    await expectStatus(resolve('charge_shop'), 200);
    expect((await resolve('return')).body.code).toBe('adjustment_conflict');
    const { balances } = await expectStatus(shop.call('/v1/balances'), 200);
    expect(balances.find(({ currency }: Json) => currency === 'RUB')).toMatchObject({
      balance: '-12.34',
      current_minus: '12.34',
      reserved: '0.00',
    });
  });

  it('see when a key was last used', async () => {
    const shop = await openTestShop();
    const since = Date.now() - 1;
    await shop.call('/v1/balances');
    const used = await until(
      'used',
      async () => expectStatus(admin('GET', `/shops/${shop.shopId}/api-keys`), 200),
      {
        holds: ({ api_keys: [key] }: Json) => key.last_used_at !== null,
      },
    );
    const at = Date.parse(used.api_keys[0].last_used_at);
    expect(at).toBeGreaterThan(since);
    expect(at).toBeLessThanOrEqual(Date.now());
  });
});

import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, control } from './support/http.ts';
import { shopForFile, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const metadata = { 'order.id': '1042', note: 'Иван 🙂 "x"', 'a-b_c.D': '' };

const shop = shopForFile({ webhook: true });

describe('R3.11: metadata', () => {
  it('is returned with the operation everywhere, also in lists and webhooks (R3.11)', async () => {
    const body = shop.body('payment', { metadata });
    const created = await shop.made(shop.create('payment', body));
    expect(created.metadata).toEqual(metadata);
    const { operation_id: id } = created;
    const repeated = await shop.create('payment', body, { at: 1 });
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.body.metadata).toEqual(metadata);
    expect((await shop.state(id)).metadata).toEqual(metadata);
    expect((await shop.adminView(id)).metadata).toEqual(metadata);
    expect((await shop.events(id))[0]?.data.request.metadata).toEqual(metadata);
    await control(id, 'settle', { result: 'completed' });
    expect((await shop.delivered(id)).operation?.metadata).toEqual(metadata);
    const listed = await until('the list contains the operation', async () => operationsOf(shop), {
      holds: (operations) => operations.some((each) => each.operation_id === id),
    });
    expect(listed.find((each) => each.operation_id === id)?.metadata).toEqual(metadata);
    const forOperators = await admin('GET', `/operations?shop_id=${shop.shopId}`);
    const seen = forOperators.body.operations.find((each: Json) => each.operation_id === id);
    expect(seen.metadata).toEqual(metadata);
  });

  it('is returned with a link, a payout and a cancel (R3.11)', async () => {
    expect((await shop.made(shop.link({ metadata }))).metadata).toEqual(metadata);
    expect((await shop.made(shop.payout({ metadata }))).metadata).toEqual(metadata);
    const payment = await shop.made(shop.pay({ metadata }));
    const cancelled = await shop.cancel({ operation_id: payment.operation_id });
    expect(cancelled.body.operation.metadata).toEqual(metadata);
    expect((await shop.state(payment.operation_id)).metadata).toEqual(metadata);
  });

  it('is absent if not sent, and empty if sent empty (R3.11)', async () => {
    expect(await shop.made(shop.pay())).not.toHaveProperty('metadata');
    expect(await shop.made(shop.pay({ metadata: {} }))).toMatchObject({ metadata: {} });
  });

  it('is part of the body that identifies a repeat (R3.11)', async () => {
    const body = shop.body('payment', { metadata: { a: '1', b: '2' } });
    await shop.made(shop.create('payment', body));
    const reordered = { ...body, metadata: { b: '2', a: '1' } };
    expect((await shop.create('payment', reordered)).status).toBe(200);
    for (const other of [{ a: '1' }, { a: '1', b: '3' }, undefined]) {
      const answer = await shop.create('payment', { ...body, metadata: other });
      expect(answer).toMatchObject({ status: 412, body: { code: 'idempotency_body_mismatch' } });
    }
  });

  it('allows 20 texts of 500 code points with names of 40 characters (R3.11)', async () => {
    const many = Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`k${index}`, 'v']));
    const largest = { ...many, ['k'.repeat(40)]: '🙂'.repeat(500) };
    expect((await shop.made(shop.pay({ metadata: largest }))).metadata).toEqual(largest);
  });
});

const operationsOf = async (of: TestShop): Promise<Json[]> =>
  (await of.made(of.call('/v1/operations?limit=100'))).operations;

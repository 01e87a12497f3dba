import { beforeAll, describe, expect, it } from 'vitest';
import { route } from './support/routes.ts';
import { openShop, type Shop } from './support/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ webhook: true });
});

describe('R5.11 POST /v1/payment/link', () => {
  it('returns the operation with payment_url, <host>/<operation_id> (R5.11)', async () => {
    const { payment_url: url, ...operation } = await shop.made(shop.link());
    expect(url).toMatch(/^https?:\/\//);
    expect(new URL(url).pathname).toBe(`/${operation.operation_id}`);
    const {
      receipts: _,
      receipt_evidence_status: __,
      merchant_operation_id: ___,
      client_id: ____,
      created_at: _____,
      ...state
    } = await shop.state(operation.operation_id);
    expect(operation).toEqual(state);
  });

  it('returns a null payment_url if the hosted page is disabled (R5.11)', async () => {
    const without = await openShop({ settings: { hosted_page: false } });
    const operation = await without.made(without.link());
    expect(operation).toMatchObject({ status: 'pending', payment_url: null });
    expect(operation.number).toMatch(/^\d{16}$/);
  });

  it('returns payment_url to a repeat as a link, and not as a payment (R5.11)', async () => {
    const body = shop.body('payment/link');
    const first = await shop.made(shop.create('payment/link', body));
    const { payment_url: url, ...rest } = first;
    expect(await shop.made(shop.create('payment', body))).toEqual(rest);
    expect(await shop.made(shop.create('payment/link', body))).toEqual({
      ...rest,
      payment_url: url,
    });
  });

  it('awaits confirmation if the route requires a receipt', async () => {
    const confirming = await openShop({ routes: [route({ requires_receipt: true })] });
    expect(await confirming.made(confirming.link())).toMatchObject({
      status: 'awaiting_confirmation',
    });
  });

  it('returns 422 without payment_url if no provider accepts', async () => {
    const refusing = await openShop({ routes: [route({ options: { accept: 'decline' } })] });
    const answer = await refusing.link();
    expect(answer).toMatchObject({ status: 422, body: { code: 'provider_not_accepted' } });
    expect(answer.text).not.toContain('payment_url');
  });
});

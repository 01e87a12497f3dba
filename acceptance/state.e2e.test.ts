import { describe, expect, it } from 'vitest';
import { openTestShop, shopForFile } from './support/shop.ts';

const shop = shopForFile({ webhook: true });

const notFound = { status: 404, body: { code: 'operation_not_found', retryable: false } };

describe('R1.4 get_operation_state request', () => {
  it('requires an identifier (R10.1)', async () => {
    expect(await shop.read({})).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('returns the same 404 for an unknown operation and one of another shop (R1.4)', async () => {
    const other = await openTestShop();
    const body = other.body('payment');
    const { operation_id } = await other.made(other.create('payment', body));
    const { merchant_operation_id } = body;
    const references = [
      { operation_id },
      { merchant_operation_id },
      { operation_id: crypto.randomUUID() },
      { merchant_operation_id: 'never' },
    ];
    const bodies = new Set<string>();
    for (const reference of references) {
      const answer = await shop.read(reference);
      expect(answer).toMatchObject(notFound);
      bodies.add(answer.text.replace(answer.body.request_id, ''));
    }
    expect(bodies.size).toBe(1);
  });
});

describe('R10.2 get_operation_state answer', () => {
  it('R5.14: has no ETag and no version', async () => {
    const { operation_id } = await shop.made(shop.pay());
    const { headers, body } = await shop.read({ operation_id });
    expect(headers.has('etag')).toBe(false);
    expect(body).not.toHaveProperty('version');
  });

  it('R10.2: is never behind what another instance has returned', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { operation_id, status } = await shop.made(
        shop.pay({}, { at: round % 2 === 0 ? 0 : 1 }),
      );
      expect(await shop.state(operation_id, round % 2 === 0 ? 1 : 0)).toMatchObject({ status });
    }
  });

  it('R10.2: is never behind a webhook, on any instance', async () => {
    for (let round = 0; round < 10; round += 1) {
      const operation_id = await shop.settled(shop.payout());
      await shop.delivered(operation_id);
      const [a, b] = await Promise.all([shop.state(operation_id, 0), shop.state(operation_id, 1)]);
      expect([a.status, b.status]).toEqual(['completed', 'completed']);
    }
  });
});

describe('R10.8 receipt_url', () => {
  it('is valid in each read (R10.8)', async () => {
    const id = await shop.settled(shop.pay());
    await shop.delivered(id);
    const read = async () => (await shop.state(id)).receipts[0].receipt_url as string;
    for (const url of [await read(), await read()]) expect((await fetch(url)).status).toBe(200);
  });
});

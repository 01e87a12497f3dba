import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, control } from './support/http.ts';
import { allRoutes, route } from './support/routes.ts';
import { openTestShop, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const confirming = [route({ requires_receipt: true }), ...allRoutes.slice(1)];

async function messages(of: TestShop, query = ''): Promise<Json[]> {
  const answer = await admin('GET', `/shops/${of.shopId}/webhook-messages${query}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toHaveProperty('next_cursor');
  return answer.body.messages;
}

describe('R14.2 webhook message', () => {
  it('has id, type, timestamp, sequence and data, and signs its bytes (R14.2)', async () => {
    const shop = await openTestShop();
    const receiver = await shop.listen();
    const other = await admin('POST', `/shops/${shop.shopId}/webhook/rotate-secret`, {});
    expect(other.status, other.text).toBe(200);
    expect(other.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]+={0,2}$/);
    const id = await shop.settled(shop.pay());
    const delivery = await shop.delivered(id);
    expect(Object.keys(delivery.message)).toEqual(['id', 'type', 'timestamp', 'sequence', 'data']);
    expect(Object.keys(delivery.message.data).toSorted()).toEqual(['operation', 'shop_id']);
    // A rotated secret and the one before it both sign for a day: the receiver verified with the
    // first one.
    const { headers, body } = delivery;
    const content = `${headers['webhook-id']?.toString()}.${headers['webhook-timestamp']?.toString()}.${body}`;
    const key = Buffer.from(other.body.secret.slice('whsec_'.length), 'base64');
    const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    const signatures = headers['webhook-signature']?.toString().split(' ') ?? [];
    expect(signatures).toHaveLength(2);
    expect(signatures).toContain(signature);
    receiver.trust(other.body.secret);
    await shop.delivered(await shop.settled(shop.pay()));
  });

  it('is sent as a ping on demand (R14.15)', async () => {
    const shop = await openTestShop({ webhook: true });
    expect((await admin('POST', `/shops/${shop.shopId}/webhook/ping`, {})).status).toBe(202);
    await until('the ping', () => shop.receiver?.deliveries ?? [], {
      holds: (all) => all.some(({ type }) => type === 'ping'),
    });
  });
});

describe('R14.11 webhook delivery', () => {
  it('disables an endpoint after a 410, and continues in order once enabled (R14.11)', async () => {
    const shop = await openTestShop({ routes: confirming, webhook: true });
    const url = shop.receiver?.url;
    shop.receiver?.answerWith({ status: 410 });
    const { operation_id: id } = await shop.made(shop.pay());
    const path = `/shops/${shop.shopId}/webhook`;
    await until('disabled', async () => (await admin('GET', path)).body, {
      holds: ({ enabled }) => enabled === false,
    });
    const { body } = await admin('GET', path);
    expect(body).toMatchObject({ url, enabled: false });
    expect(body.disabled_reason).toEqual(expect.any(String));
    expect(body).not.toHaveProperty('secret');
    await control(id, 'settle', { result: 'completed' });
    await until('two messages', async () => messages(shop, `?operation_id=${id}&status=pending`), {
      holds: ({ length }) => length === 2,
    });
    const before = shop.deliveriesOf(id).length;
    shop.receiver?.answerWith({ status: 204 });
    const enabled = await admin('PUT', path, { url, enabled: true });
    expect(enabled).toMatchObject({ status: 200, body: { url, enabled: true } });
    expect(enabled.body).not.toHaveProperty('secret');
    await shop.delivered(id, 2);
    expect(
      shop
        .deliveriesOf(id)
        .slice(before)
        .map(({ sequence }) => sequence),
    ).toEqual([1, 2]);
  });
});

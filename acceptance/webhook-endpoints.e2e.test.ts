import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, sendRequest, target } from './support/http.ts';
import { openReceiver, type Receiver } from './support/receiver.ts';
import { openTestShop, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

/** A request with the shop's key, to a path below `/v1/webhook-endpoints`. */
const callEndpoints = (of: TestShop, request: string, json?: unknown) => {
  const [method = 'GET', rest = ''] = request.split(' ');
  return sendRequest(`${target.gateways[0]}/v1/webhook-endpoints${rest}`, {
    method,
    ...(json === undefined ? {} : { json }),
    headers: { 'x-api-key': of.apiKey },
  });
};

const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

/** Another endpoint of the shop, with a receiver of its own. */
async function addEndpoint(of: TestShop, change: object = {}) {
  const receiver = await openReceiver(() => []);
  receivers.push(receiver);
  const answer = await callEndpoints(of, 'POST', { url: receiver.url, ...change });
  expect(answer.status, answer.text).toBe(201);
  receiver.trust(answer.body.secret);
  const { endpoint_id: endpointId } = answer.body;
  return { endpointId: endpointId as string, receiver, secret: answer.body.secret as string };
}

const ofOperation = (deliveries: readonly { operation: Json }[], id: string) =>
  deliveries.filter(({ operation }) => operation?.operation_id === id);

describe('R14.17 several webhook endpoints', () => {
  it('receive the same message, signed separately; a failure delays none (R14.17)', async () => {
    const shop = await openTestShop({ webhook: true });
    shop.receiver?.answerWith({ status: 500 });
    const { receiver, endpointId } = await addEndpoint(shop);
    const ids = [await shop.settled(shop.pay()), await shop.settled(shop.pay())];
    for (const id of ids) {
      const [delivery] = await until(
        'the delivery to the second endpoint',
        () => ofOperation(receiver.deliveries, id),
        { holds: ({ length }) => length > 0 },
      );
      expect(delivery).toMatchObject({ type: 'payment.completed' });
      const own = await shop.delivered(id);
      expect(receiver.deliveries.map(({ body }) => body)).toContain(own.body);
    }
    expect(receiver.faults).toEqual([]);
    const listed = () =>
      admin(
        'GET',
        `/shops/${shop.shopId}/webhook-messages?endpoint_id=${endpointId}&status=delivered`,
      );
    await until('both are delivered', async () => (await listed()).body.messages as Json[], {
      holds: ({ length }) => length === 2,
    });
  });

  it('begin with the one that the admin API manages (R14.17)', async () => {
    const shop = await openTestShop({ webhook: true });
    await addEndpoint(shop);
    const { body } = await callEndpoints(shop, 'GET');
    expect(body.webhook_endpoints).toHaveLength(2);
    const [first] = body.webhook_endpoints;
    expect(first).toMatchObject({ url: shop.receiver?.url, enabled: true });
    expect(first).not.toHaveProperty('secret');
    expect(
      (await callEndpoints(shop, `PATCH /${first.endpoint_id}`, { enabled: false })).status,
    ).toBe(200);
    expect((await admin('GET', `/shops/${shop.shopId}/webhook`)).body).toMatchObject({
      url: shop.receiver?.url,
      enabled: false,
    });
  });
});

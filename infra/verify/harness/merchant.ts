import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import type { TestStack } from './stack.ts';

// What an answer holds is what the tests are about: they say it themselves.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
export type Answer = { status: number; body: Json };

export type Delivery = {
  id: string;
  type: string;
  operationId: string;
  sequence: number;
  body: string;
  valid: boolean;
};

export type TestMerchant = {
  readonly shopId: string;
  readonly apiKey: string;
  readonly pay: (merchantOperationId: string, amount?: string) => Promise<Answer>;
  readonly payOut: (merchantOperationId: string, amount?: string) => Promise<Answer>;
  readonly state: (reference: object) => Promise<Answer>;
  /** Everything that came to the webhook's endpoint, verified, in order. */
  readonly deliveries: readonly Delivery[];
  readonly waitForDelivery: (what: (delivery: Delivery) => boolean) => Promise<Delivery>;
  readonly close: () => Promise<void>;
};

export type MerchantOptions = {
  routes?: readonly object[];
  /** What `POST /admin/v1/shops` takes besides. */
  settings?: object;
};

/** A merchant of a running stack: a shop with a key, routes and a webhook, set up as an operator does it. */
export async function setUpMerchant(
  stack: TestStack,
  { routes = [{}], settings = {} }: MerchantOptions = {},
): Promise<TestMerchant> {
  const admin = async (method: string, path: string, body: object): Promise<Json> => {
    const answer = await request(`${stack.urls.admin}/admin/v1${path}`, method, body, {
      authorization: `Bearer ${stack.adminToken}`,
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const deliveries: Delivery[] = [];
  let secret = '';
  const endpoint = createServer((incoming, outgoing) => {
    const receive = async () => {
      const chunks = await incoming.toArray();
      const body = Buffer.concat(chunks as Buffer[]).toString('utf8');
      const header = (name: string) => incoming.headers[name]?.toString();
      const message = JSON.parse(body);
      deliveries.push({
        id: message.id,
        type: message.type,
        operationId: message.data.operation?.operation_id,
        sequence: message.sequence,
        body,
        valid: verifyWebhook({ header, body }, secret).valid,
      });
      outgoing.writeHead(204).end();
    };
    void receive();
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;

  const { merchant_id } = await admin('POST', '/merchants', { name: 'Test' });
  const { shop_id } = await admin('POST', '/shops', { merchant_id, name: 'Test', ...settings });
  await admin('PUT', `/shops/${shop_id}/routes`, {
    routes: routes.map((change) => ({
      type: 'payment',
      method: 'WT_RUB_C2C',
      currency: 'RUB',
      provider: 'sandbox',
      priority: 1,
      commission: { percent: '2.50' },
      ...change,
    })),
  });
  ({ secret } = await admin('PUT', `/shops/${shop_id}/webhook`, { url: `http://127.0.0.1:${port}/webhook` }));
  const { api_key } = await admin('POST', `/shops/${shop_id}/api-keys`, { label: 'test' });

  const operation = (merchantOperationId: string, amount = '100.00') => ({
    merchant_operation_id: merchantOperationId,
    client_id: 'client-1',
    method: 'WT_RUB_C2C',
    amount,
    currency: 'RUB',
  });
  const post = (path: string, body: object) =>
    request(`${stack.urls.gateway}${path}`, 'POST', body, { 'x-api-key': api_key });
  return {
    shopId: shop_id,
    apiKey: api_key,
    pay: (merchantOperationId, amount) => post('/v1/payment', operation(merchantOperationId, amount)),
    payOut: (merchantOperationId, amount) =>
      post('/v1/payout', { ...operation(merchantOperationId, amount), number: '2200 1234 5678 9010' }),
    state: (reference) => post('/v1/get_operation_state', reference),
    deliveries,
    waitForDelivery: async (what) => {
      await waitUntil('the webhook has come', () => deliveries.some(what), { timeoutMs: 30_000 });
      return deliveries.find(what) as Delivery;
    },
    close: async () => {
      endpoint.closeAllConnections();
      await new Promise((resolve) => endpoint.close(resolve));
    },
  };
}

/** One request, with a deadline. @throws when no answer comes */
export async function request(
  url: string,
  method: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

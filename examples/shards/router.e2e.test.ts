import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import {
  askAdmin,
  request,
  setUpMerchant,
  type TestMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { createRouter, type Shard } from './router.ts';

const shards: Shard[] = [];
const stacks: TestStack[] = [];
const merchants: TestMerchant[] = [];
const router = createRouter(shards);
let url = '';

beforeAll(async () => {
  url = `http://127.0.0.1:${await listenOnLoopback(router)}`;
  for (const name of ['a', 'b']) {
    const env = {
      GATEWAY_TRUSTED_PROXIES: '1',
      PAY_TRUSTED_PROXIES: '1',
      GATEWAY_BASE_URL: url,
      PAY_BASE_URL: url,
      SANDBOX_CALLBACK_URL: `${url}/callbacks/${name}/sandbox`,
    };
    const stack = await startTestStack({ env });
    stacks.push(stack);
    const { gateway: api, pay } = stack.urls;
    shards.push({ name, api, pay, callbacks: `http://127.0.0.1:${stack.env['PROCESSOR_PORT']}` });
    merchants.push(await setUpMerchant(stack));
  }
});
afterAll(async () => {
  for (const merchant of merchants) await merchant.close();
  for (const stack of stacks) await stack.stop();
  router.closeAllConnections();
  router.close();
});

const send = (key: string, method: string, path: string, body?: object) =>
  request(`${url}${path}`, method, body, { 'x-api-key': key });
const payment = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
};

it('routes API keys, payment pages, receipts and callbacks to their gateway', async () => {
  const ids: string[] = [];
  for (const [at, { apiKey, waitForDelivery }] of merchants.entries()) {
    const { status, body } = await send(apiKey, 'POST', '/v1/payment/link', payment);
    expect(status).toBe(200);
    const id = body.operation_id as string;
    ids.push(id);
    expect(body.payment_url).toBe(`${url}/${id}`);
    const page = await fetch(body.payment_url as string);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('100.00')]);
    const control = `${stacks[at]?.urls.sandbox}/control/operations/${id}/settle`;
    await request(control, 'POST', { result: 'completed' });
    await waitForDelivery(({ type }) => type === 'payment.completed');
    const state = () => send(apiKey, 'POST', '/v1/get_operation_state', { operation_id: id });
    await eventually(
      'the receipt is available',
      async () => (await state()).body.receipts.length === 1,
    );
    const receipt = await fetch((await state()).body.receipts[0].receipt_url as string);
    expect(receipt.status).toBe(200);
  }
  const [first, second] = merchants.map(({ apiKey }) => apiKey);
  const other = await send(first ?? '', 'POST', '/v1/get_operation_state', {
    operation_id: ids[1],
  });
  expect(other.status).toBe(404);
  expect((await send(second ?? '', 'GET', '/v1/balances')).status).toBe(200);
  expect((await send('unknown-key', 'GET', '/v1/balances')).status).toBe(401);
  expect((await fetch(`${url}/callbacks/c/sandbox`, { method: 'POST' })).status).toBe(404);
});

it('answers the keys with which the statements of every shard are verified', async () => {
  const signedBy: string[] = [];
  for (const { apiKey } of merchants)
    await eventually(
      'a checkpoint is signed',
      async () => {
        const { body } = await send(apiKey, 'GET', '/v1/checkpoints?currency=RUB');
        const [checkpoint] = body.checkpoints ?? [];
        if (checkpoint) signedBy.push(checkpoint.key_id);
        return checkpoint !== undefined;
      },
      { intervalMs: 250 },
    );
  // Only now: a shard caches its keys.
  const { body } = await request(`${url}/.well-known/checkpoint-keys`, 'GET');
  expect(new Set(signedBy).size).toBe(2);
  expect(body.keys.map((key: { key_id: string }) => key.key_id)).toEqual(signedBy);
});

it('shows the client’s address to the shards, which limit keys to it', async () => {
  const [stack] = stacks;
  const [merchant] = merchants;
  if (!stack || !merchant) throw new Error('there are no shards');
  const keyFor = async (range: string) => {
    const { body } = await askAdmin(stack, 'POST', `/shops/${merchant.shopId}/api-keys`, {
      label: range,
      allowed_ips: [range],
    });
    return body.api_key as string;
  };
  const status = async (key: string) =>
    (
      await request(`${url}/v1/methods`, 'GET', undefined, {
        'x-api-key': key,
        // Not the router's: anyone may write it.
        'x-forwarded-for': '203.0.113.9',
      })
    ).status;
  expect(await status(await keyFor('127.0.0.0/8'))).toBe(200);
  expect(await status(await keyFor('203.0.113.0/24'))).toBe(403);
});

import { expect, it } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { useStack, type TestStack } from '#infra/verify/harness/test-stack.ts';

// The test itself checks what an answer holds.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const route = {
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  priority: 1,
  requires_receipt: true,
  commission: { percent: '2.50' },
};

async function send(url: string, headers: Record<string, string>, body?: object): Promise<Json> {
  const json = body && !(body instanceof FormData);
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...(json && { 'content-type': 'application/json' }) },
    ...(body && { body: json ? JSON.stringify(body) : body }),
  });
  return { status: response.status, body: await response.json() };
}

/** The key of a shop whose payments await a receipt. */
async function openShop({ urls, adminToken }: TestStack): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const admin = (path: string, body: object) =>
    send(`${urls.admin}/admin/v1${path}`, headers, body);
  const { merchant_id } = (await admin('/merchants', { name: 'Test' })).body;
  const { shop_id } = (await admin('/shops', { merchant_id, name: 'Test' })).body;
  const routes = await fetch(`${urls.admin}/admin/v1/shops/${shop_id}/routes`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ routes: [route] }),
  });
  expect(routes.status).toBe(200);
  return (await admin(`/shops/${shop_id}/api-keys`, { label: 'test' })).body.api_key;
}

it('a receipt that was accepted reaches its provider, whatever dies on the way', async () => {
  const stack = await useStack();
  const headers = { 'x-api-key': await openShop(stack) };
  const ask = (path: string, body: object) =>
    send(`${stack.urls.gateway}/v1${path}`, headers, body);
  const { operation_id } = (
    await ask('/payment', {
      merchant_operation_id: 'order-1',
      client_id: 'client-1',
      method: 'WT_RUB_C2C',
      amount: '100.00',
      currency: 'RUB',
    })
  ).body;
  const confirm = () => {
    const form = new FormData();
    form.append('receipt', new Blob(['%PDF-1.4 a receipt']));
    form.append('operation_id', operation_id);
    form.append('confirmation_type', 'receipt');
    return ask('/confirm_payment', form);
  };

  // The provider hangs while the receipt is uploaded, and the service that took it dies before the
  // answer.
  stack.kill('sandbox-provider', 'SIGSTOP');
  const before = Date.now();
  expect(await confirm()).toMatchObject({ status: 200, body: { status: 'awaiting_confirmation' } });
  expect(Date.now() - before).toBeLessThan(8_000);
  const dead = [stack.pids()['merchant-api'] ?? 0, stack.pids()['processor'] ?? 0];
  stack.kill('merchant-api');
  stack.kill('processor');
  stack.kill('sandbox-provider', 'SIGCONT');

  const control = `${stack.urls.sandbox}/control/operations/${operation_id}`;
  const given = async () =>
    ((await send(control, {}).catch(() => undefined))?.body.receipts ?? []) as Json[];
  await waitUntil('the provider has the receipt', async () => (await given()).length > 0, {
    timeoutMs: 60_000,
  });
  await stack.waitReady(dead);
  expect(await confirm()).toMatchObject({ status: 200, body: { status: 'awaiting_confirmation' } });
  expect((await send(`${control}/review`, {}, { result: 'approve' })).status).toBe(200);
  const state = async () => (await ask('/get_operation_state', { operation_id })).body;
  await waitUntil('the payment is completed', async () => (await state()).status === 'completed', {
    timeoutMs: 20_000,
  });
  expect(await confirm()).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect(await given()).toHaveLength(1);

  const { receipt_evidence_status, receipts } = await state();
  expect({ receipt_evidence_status, receipts }).toMatchObject({
    receipt_evidence_status: 'complete',
    receipts: [{ amount: 100 }],
  });
  const [{ receipt_url: url }] = receipts;
  expect(new URL(url).port).toBe(new URL(stack.urls.gateway).port);
  const download = await fetch(url);
  expect(download.headers.get('content-type')).toBe('application/pdf');
  expect(await download.text()).toMatch(/^%PDF-/);
  expect((await fetch(`${url}x`)).status).toBe(403);
});

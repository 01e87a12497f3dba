import { describe, expect, it } from 'vitest';
import { shopForFile } from './support/shop.ts';
import type { Answer } from './support/answer.ts';
import { admin, sendRequest, target } from './support/http.ts';
import { until } from './support/until.ts';

const shop = shopForFile();

const issue = async (limits: object): Promise<Answer> =>
  admin('POST', `/shops/${shop.shopId}/api-keys`, { label: 'limited', ...limits });

/** Issues a key with these limits, and returns calls with it. */
async function keyWith(limits: object) {
  const issued = await issue(limits);
  expect(issued.status, issued.text).toBe(201);
  const headers = { 'x-api-key': issued.body.api_key as string };
  const call = (method: string, path: string, json?: unknown) =>
    sendRequest(`${target.gateways[0]}${path}`, {
      method,
      headers,
      ...(json !== undefined && { json }),
    });
  return { issued: issued.body, call };
}

const forbidden = { status: 403, body: { code: 'forbidden' } };

describe('R1.14: the scope of a key', () => {
  it('payments covers create, confirm and cancel of payments, nothing else (R1.14)', async () => {
    const { call } = await keyWith({ scopes: ['payments'] });
    const body = shop.body('payment');
    expect((await call('POST', '/v1/payment', body)).status).toBe(200);
    expect((await call('POST', '/v1/payment/link', shop.body('payment/link'))).status).toBe(200);
    const key = { merchant_operation_id: body.merchant_operation_id };
    expect((await call('POST', '/v1/cancel_operation', key)).status).toBe(200);
    expect((await call('POST', '/v1/confirm_payment', {})).status).toBe(415);
    expect(await call('POST', '/v1/payout', shop.body('payout'))).toMatchObject(forbidden);
    expect(await call('GET', '/v1/balances')).toMatchObject(forbidden);
    expect(await call('POST', '/v1/get_operation_state', key)).toMatchObject(forbidden);
  });

  it('payouts covers the create of payouts; read covers every kind of read (R1.14)', async () => {
    const payouts = await keyWith({ scopes: ['payouts'] });
    const body = shop.body('payout');
    expect((await payouts.call('POST', '/v1/payout', body)).status).toBe(200);
    expect(await payouts.call('POST', '/v1/payment', {})).toMatchObject(forbidden);
    const read = await keyWith({ scopes: ['read'] });
    const key = { merchant_operation_id: body.merchant_operation_id };
    expect((await read.call('POST', '/v1/get_operation_state', key)).status).toBe(200);
    for (const path of ['/v1/balances', '/v1/methods', '/v1/operations'])
      expect((await read.call('GET', path)).status).toBe(200);
    expect(await read.call('POST', '/v1/payout', body)).toMatchObject(forbidden);
    expect(await read.call('POST', '/v1/cancel_operation', key)).toMatchObject(forbidden);
    const both = await keyWith({ scopes: ['payouts', 'read'] });
    expect((await both.call('POST', '/v1/payout', body)).status).toBe(200);
    expect((await both.call('GET', '/v1/balances')).status).toBe(200);
  });
});

describe('R1.15: a key with allowed addresses', () => {
  it('is rejected from other addresses (R1.15)', async () => {
    const own = await keyWith({ allowed_ips: ['127.0.0.0/8', '::1/128'] });
    expect((await own.call('GET', '/v1/balances')).status).toBe(200);
    const other = await keyWith({ allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] });
    expect(await other.call('GET', '/v1/balances')).toMatchObject(forbidden);
    expect(await other.call('GET', '/v1/nothing')).toMatchObject(forbidden);
  });
});

describe('R1.16: a key with an expiry', () => {
  it('is valid until then, and unknown afterwards (R1.16)', async () => {
    // On a busy machine requests take longer: the key lives for as long as many of them.
    const startedMs = performance.now();
    await (await keyWith({})).call('GET', '/v1/balances');
    const lifetimeMs = Math.max(2_000, 20 * (performance.now() - startedMs));
    const expiresAt = new Date(Date.now() + lifetimeMs);
    const { call } = await keyWith({ expires_at: expiresAt.toISOString() });
    expect((await call('GET', '/v1/balances')).status).toBe(200);
    const answer = await until('it expires', () => call('GET', '/v1/balances'), {
      holds: ({ status }) => status !== 200,
    });
    expect(answer).toMatchObject({ status: 401, body: { code: 'api_key_invalid' } });
  });
});

describe('R1.14 to R1.16: limits of a key', () => {
  const limits = {
    expires_at: '2037-01-31T12:00:00.000Z',
    allowed_ips: ['203.0.113.0/24', '2001:db8::/32'],
    scopes: ['payments', 'read'],
  };

  it('are returned with the key, and absent if it has none', async () => {
    const { issued } = await keyWith(limits);
    expect(issued).toMatchObject(limits);
    const plain = await keyWith({});
    const fields = ['api_key', 'created_at', 'key_id', 'label'];
    expect(Object.keys(plain.issued).toSorted()).toEqual(fields);
    const list = await admin('GET', `/shops/${shop.shopId}/api-keys`);
    const listed = (id: string) =>
      list.body.api_keys.find((each: { key_id: string }) => each.key_id === id);
    expect(listed(issued.key_id)).toMatchObject(limits);
    for (const name of Object.keys(limits))
      expect(listed(plain.issued.key_id)).not.toHaveProperty(name);
  });

  it('are rejected as field_invalid at their pointers', async () => {
    const wrong = { expires_at: 'tomorrow', allowed_ips: '10.0.0.0/8', scopes: ['read', 'all'] };
    const answer = await issue(wrong);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const code = 'field_invalid';
    expect(answer.body.errors).toMatchObject(
      ['/expires_at', '/allowed_ips', '/scopes/1'].map((pointer) => ({ pointer, code })),
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, sendRequest, target } from './support/http.ts';
import { openTestShop, shopForFile } from './support/shop.ts';
import { until } from './support/until.ts';

const shop = shopForFile();

const create = async (change: Json) => shop.made(shop.pay(change));

describe('R1.1 authentication', () => {
  const all = { 'x-api-key': '' };
  it.each([
    ['POST', '/v1/payment', '{'],
    ['POST', '/v1/payout', 'x'.repeat(100 * 1024)],
    ['PUT', '/v1/payment', '{}'],
    ['GET', '/v1/nothing', undefined],
    ['POST', '/v1/', '{}'],
    ['POST', '/v1/get_operation_state', '{"operation_id":"no"}'],
    ['POST', '/v1/cancel_operation', '{"reason":5}'],
    ['POST', '/v1/confirm_payment', 'no form'],
    ['GET', '/v1/balances', undefined],
    ['GET', '/v1/methods', undefined],
    ['POST', '/v1/confirm_payment', 'x'.repeat(12 * 1024 * 1024)],
  ])('answers 401 to %s %s without a valid key (R1.1)', async (method, path, raw) => {
    const url = `${target.gateways[0]}${path}`;
    const body = raw === undefined ? {} : { raw };
    const content = { 'content-type': 'text/plain' };
    const missing = await sendRequest(url, { method, ...body, headers: content });
    expect(missing).toMatchObject({ status: 401, body: { code: 'api_key_required' } });
    expect(missing.body.message).toContain('x-api-key header is required');
    const unknown = await sendRequest(url, {
      method,
      ...body,
      headers: { ...content, 'X-API-KEY': 'sk_unknown' },
    });
    expect(unknown).toMatchObject({ status: 401, body: { code: 'api_key_invalid' } });
    expect(unknown.body.message).toContain('invalid api key');
    const empty = await sendRequest(url, { method, ...body, headers: { ...content, ...all } });
    expect(empty.status).toBe(401);
  });

  it('rejects a revoked key like an unknown one, and no other key (R1.2)', async () => {
    const { body: key } = await admin('POST', `/shops/${shop.shopId}/api-keys`, {
      label: 'to revoke',
    });
    const use = async (at: 0 | 1) =>
      sendRequest(`${target.gateways[at]}/v1/balances`, {
        method: 'GET',
        headers: { 'x-api-key': key.api_key },
      });
    expect((await use(0)).status).toBe(200);
    expect((await use(1)).status).toBe(200);
    expect((await admin('DELETE', `/api-keys/${key.key_id}`)).status).toBe(204);
    const answers = [await use(0), await use(0)];
    const unknown = await sendRequest(`${target.gateways[0]}/v1/balances`, {
      method: 'GET',
      headers: { 'x-api-key': 'unknown' },
    });
    for (const answer of answers) {
      const { request_id: _, ...rest } = answer.body;
      const { request_id: __, ...expected } = unknown.body;
      expect(rest).toEqual(expected);
    }
    await until('revoked everywhere', async () => use(1), {
      holds: ({ status }) => status === 401,
    });
    expect((await shop.call('/v1/balances')).status).toBe(200);
  });

  it('lists keys without their plaintext (R1.5)', async () => {
    const { status, body } = await admin('GET', `/shops/${shop.shopId}/api-keys`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(shop.apiKey);
    for (const key of body.api_keys) {
      expect(Object.keys(key).toSorted()).toEqual(
        ['created_at', 'hint', 'key_id', 'label', 'last_used_at', 'revoked_at'].toSorted(),
      );
    }
  });

  it('hides the operations of other shops (R1.3)', async () => {
    const other = await openTestShop();
    const operation = await create({});
    const id = operation.operation_id;
    const ofOtherShop = await other.read({ operation_id: id });
    const absent = await other.read({ operation_id: crypto.randomUUID() });
    expect(ofOtherShop).toMatchObject({ status: 404, body: { code: 'operation_not_found' } });
    const { request_id: _, ...a } = ofOtherShop.body;
    const { request_id: __, ...b } = absent.body;
    expect(a).toEqual(b);
    expect(Object.keys(ofOtherShop.body)).toEqual(Object.keys(absent.body));
    const notFound = { status: 404, body: { code: 'operation_not_found' } };
    expect(await other.cancel({ operation_id: id })).toMatchObject(notFound);
    expect(await other.confirm(id, '%PDF-1.4')).toMatchObject(notFound);
  });

  it('allows the same merchant_operation_id in two shops (R1.3)', async () => {
    const other = await openTestShop();
    const merchant_operation_id = `shared-${crypto.randomUUID()}`;
    const a = await create({ merchant_operation_id });
    const b = await other.made(other.pay({ merchant_operation_id, amount: '7.00' }));
    expect(a.operation_id).not.toBe(b.operation_id);
  });
});

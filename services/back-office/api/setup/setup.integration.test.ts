import { describe, expect, test } from 'vitest';
import { merchantStream, shopStream } from '#shared/domain/shop/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { noteKeyUse } from '#shared/application/directory/key-use.ts';
import { useAdmin, problem } from '../../testing/admin.ts';

/** Two instances on one log. */
const admin = useAdmin();
const other = useAdmin();

const unknownId = '00000000-0000-4000-8000-000000000000';
const route = {
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  commission: { percent: '2.50' },
};

describe('a shop', () => {
  test('is created with defaults; each command records an event with its operator', async () => {
    const body = { name: 'ООО Ромашка' };
    const merchant = await admin.call('POST /admin/v1/merchants', { body });
    expect(merchant).toMatchObject({ status: 201, body });
    const merchantId = String(merchant.body['merchant_id']);
    const shop = await admin.call('POST /admin/v1/shops', {
      body: { merchant_id: merchantId, name: 'Shop' },
      headers: { 'x-request-id': 'setup-1' },
    });
    expect(shop.status).toBe(201);
    expect(shop.body).toEqual({
      shop_id: expect.any(String),
      merchant_id: merchantId,
      name: 'Shop',
      hosted_page: true,
      overdraft_limits: {},
      rate_limit: { per_second: 100, burst: 200 },
      display_name: null,
      support: null,
      return_url: null,
      payout_batches_need_second_member: false,
    });
    const [created] = await admin.store.read(shopStream(String(shop.body['shop_id'])));
    expect(created).toMatchObject({
      type: 'ShopCreated',
      metadata: { actor: 'operator:alice', token_id: 'first', request_id: 'setup-1' },
    });
    expect(await admin.store.read(merchantStream(merchantId))).toHaveLength(1);
  });

  test('is changed field by field; overdraft limits are replaced as a whole (R16.7)', async () => {
    const shopId = await admin.newShop();
    const path = `PATCH /admin/v1/shops/${shopId}`;
    await admin.call(path, { body: { overdraft_limits: { RUB: '10.00', USD: '0.00' } } });
    await admin.call(path, { body: { rate_limit: { per_second: 5 } } });
    const body = { name: 'New', hosted_page: false };
    const limits = { overdraft_limits: { RUB: '20.00' } };
    const changed = await admin.call(path, { body: { ...body, ...limits } });
    expect(changed).toMatchObject({ status: 200, body });
    expect(changed.body['overdraft_limits']).toEqual({ RUB: '20.00' });
    expect(changed.body['rate_limit']).toEqual({ per_second: 5, burst: 200 });
    const events = await admin.store.read(shopStream(shopId));
    await admin.call(path, { body: {} });
    expect(await admin.store.read(shopStream(shopId))).toHaveLength(events.length);
  });

  test('has fields for payers, which are changed separately and cleared with null (R16.12)', async () => {
    const forPayers = {
      display_name: 'я'.repeat(100),
      support: '<b>8 800</b> 😀',
      return_url: 'https://shop.example/orders/{merchant_operation_id}?op={operation_id}',
    };
    const body = { merchant_id: await admin.newMerchant('M'), name: 'Shop', ...forPayers };
    const shop = await admin.call('POST /admin/v1/shops', { body });
    expect(shop).toMatchObject({ status: 201, body: forPayers });
    const path = `/admin/v1/shops/${String(shop.body['shop_id'])}`;
    const patched = await admin.call(`PATCH ${path}`, { body: { name: 'New', support: null } });
    expect(patched.body).toEqual({ ...shop.body, name: 'New', support: null });
    expect((await admin.call(`GET ${path}`)).body).toEqual(patched.body);
    const [created, changed] = await admin.store.read(shopStream(String(shop.body['shop_id'])));
    const data = { settings: forPayers };
    expect(created).toMatchObject({
      metadata: { schema_version: newestVersion('ShopCreated') },
      data,
    });
    expect(changed?.data).not.toHaveProperty('settings.support');
    const cleared = { display_name: null, support: null, return_url: null };
    expect((await admin.call(`PATCH ${path}`, { body: cleared })).body).toMatchObject(cleared);
    const without = await admin.call('POST /admin/v1/shops', { body: { ...body, ...cleared } });
    expect(without).toMatchObject({ status: 201, body: cleared });
  });

  test('can require a second member for payout files (R24.6)', async () => {
    const path = `/admin/v1/shops/${await admin.newShop()}`;
    const on = { payout_batches_need_second_member: true };
    expect((await admin.call(`PATCH ${path}`, { body: on })).body).toMatchObject(on);
    expect((await admin.call(`GET ${path}`)).body).toMatchObject(on);
    const wrong = { payout_batches_need_second_member: 'yes' };
    expect(await admin.call(`PATCH ${path}`, { body: wrong })).toMatchObject({ status: 400 });
  });

  test('keeps all concurrent changes of different fields (R16.6)', async () => {
    const shopId = await admin.newShop();
    const path = `PATCH /admin/v1/shops/${shopId}`;
    const limits = { overdraft_limits: { EUR: '1.00' } };
    const changes = [{ name: 'Other' }, { hosted_page: false }, limits];
    const answers = await Promise.all(changes.map((body) => admin.call(path, { body })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const all = { name: 'Other', hosted_page: false, ...limits };
    expect((await admin.call(path, { body: {} })).body).toMatchObject(all);
  });
});

test('an API key works immediately on another instance, is shown only on issue, and is rejected when revoked', async () => {
  const { directory } = other;
  const shopId = await admin.newShop();
  const keys = `/admin/v1/shops/${shopId}/api-keys`;
  const body = { label: 'till' };
  const issued = await admin.call<Record<string, string>>(`POST ${keys}`, { body });
  expect(issued.status).toBe(201);
  const { key_id: keyId = '', api_key: apiKey = '' } = issued.body;
  expect(apiKey).toMatch(/^gw_[0-9A-Za-z]{40}$/);
  expect(await directory.byApiKey(apiKey)).toMatchObject({ keyId, shop: { shopId } });

  const events = await admin.store.read(shopStream(shopId));
  expect(JSON.stringify(events.map(({ data }) => data))).not.toContain(apiKey);
  const list = `GET ${keys}`;
  expect((await admin.call(list)).body).toEqual({
    api_keys: [
      {
        key_id: keyId,
        label: 'till',
        hint: apiKey.slice(-4),
        created_at: issued.body['created_at'],
        last_used_at: null,
        revoked_at: null,
      },
    ],
  });

  const usedAtMs = Date.parse('2026-01-31T12:00:00.000Z');
  await noteKeyUse(admin.store, { keyId, usedAtMs, everyMs: 1 });
  expect((await admin.call(list)).body).toMatchObject({
    api_keys: [{ last_used_at: '2026-01-31T12:00:00.000Z' }],
  });

  expect((await admin.call(`DELETE /admin/v1/api-keys/${keyId}`)).status).toBe(204);
  expect(await directory.byApiKey(apiKey)).toBeUndefined();
  expect((await admin.call(`DELETE /admin/v1/api-keys/${keyId}`)).status).toBe(204);
  const revoked = { api_keys: [{ revoked_at: expect.stringMatching(/Z$/) }] };
  expect((await admin.call(list)).body).toMatchObject(revoked);
});

test('routes are replaced as a whole with defaults, and take effect immediately', async () => {
  const shopId = await admin.newShop();
  await admin.call(`POST /admin/v1/shops/${shopId}/api-keys`, { body: { label: 'a' } });
  const { directory: elsewhere } = other;
  await elsewhere.byId(shopId);
  const path = `PUT /admin/v1/shops/${shopId}/routes`;
  const full = { ...route, priority: 1, requires_receipt: false };
  const expected = { ...full, commission: { percent: '2.50', fixed: '0.00' } };
  const set = await admin.call(path, { body: { routes: [route] } });
  expect(set).toMatchObject({ status: 200, body: { routes: [expected] } });
  expect((await elsewhere.byId(shopId))?.routes).toEqual([expected]);
  expect((await admin.call(path, { body: { routes: [] } })).body).toEqual({ routes: [] });
  expect((await elsewhere.byId(shopId))?.routes).toEqual([]);
});

test('routes with the version that they replace accept one of two concurrent changes based on the same version', async () => {
  const shopId = await admin.newShop();
  const path = `/admin/v1/shops/${shopId}/routes`;
  const { body } = await admin.call<{ version: string }>(`GET ${path}`);
  const put = (priority: number, replaces: string) =>
    admin.call(`PUT ${path}`, { body: { routes: [{ ...route, priority }], replaces } });
  const both = await Promise.all([put(1, body.version), put(2, body.version)]);
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 412]));
  const rejected = both.findIndex(({ status }) => status === 412) + 1;
  expect(await put(rejected, body.version)).toMatchObject(problem(412, 'routes_changed'));
  // A repeat of the accepted change has no effect.
  expect((await put(3 - rejected, body.version)).status).toBe(200);
  const current = await admin.call<{ version: string }>(`GET ${path}`);
  expect((await put(rejected, current.body.version)).status).toBe(200);
  const written = (await admin.store.read(shopStream(shopId))).map(({ type }) => type);
  expect(written).toEqual(['ShopCreated', 'RoutesReplaced', 'RoutesReplaced']);
});

test('GET /admin/v1/shops/{shop_id}/route-candidates returns candidates in order, and the reason for each other route', async () => {
  const shopId = await admin.newShop();
  const routes = [
    { ...route, priority: 5 },
    { ...route, priority: 2, max_amount: '50.00' },
    { ...route, type: 'payout' },
  ];
  await admin.call(`PUT /admin/v1/shops/${shopId}/routes`, { body: { routes } });
  const path = `GET /admin/v1/shops/${shopId}/route-candidates`;
  const candidatesFor = (more: string) =>
    admin.call(`${path}?type=payment&method=WT_RUB_C2C&currency=RUB&${more}`);
  expect((await candidatesFor('amount=50.00')).body).toMatchObject({
    candidates: [
      { order: 1, priority: 2 },
      { order: 2, priority: 5 },
    ],
    others: [{ reason: 'type', type: 'payout' }],
  });
  expect((await candidatesFor('amount=50.01')).body).toMatchObject({
    candidates: [{ order: 1, priority: 5 }],
    others: [{ reason: 'max_amount', max_amount: '50.00' }, { reason: 'type' }],
  });
  expect((await candidatesFor('amount=1&bank=sberbank')).body).toMatchObject({
    code: 'invalid_request',
    errors: [
      { pointer: '/amount', code: 'amount_invalid' },
      { pointer: '/bank', code: 'field_invalid' },
    ],
  });
  // Without read models the daily amount is unknown.
  const limited = [{ ...route, daily_amount: '100.00' }];
  await admin.call(`PUT /admin/v1/shops/${shopId}/routes`, { body: { routes: limited } });
  expect((await candidatesFor('amount=50.00')).body).toMatchObject({
    candidates: [],
    others: [{ reason: 'limit_unknown', daily_amount: '100.00' }],
  });
});

describe('rejected requests', () => {
  test.each([
    ['POST /admin/v1/shops', { merchant_id: unknownId, name: 'x' }],
    [`PATCH /admin/v1/shops/${unknownId}`, { name: 'x' }],
    ['PATCH /admin/v1/shops/nonsense', { name: 'x' }],
    [`POST /admin/v1/shops/${unknownId}/api-keys`, { label: 'x' }],
    [`GET /admin/v1/shops/${unknownId}/api-keys`, undefined],
    [`DELETE /admin/v1/api-keys/${unknownId}`, undefined],
    [`DELETE /admin/v1/tokens/${unknownId}`, undefined],
    [`PUT /admin/v1/shops/${unknownId}/routes`, { routes: [] }],
    [`PUT /admin/v1/shops/${unknownId}/webhook`, { url: 'https://example.com/' }],
    [`GET /admin/v1/shops/${unknownId}/webhook`, undefined],
    [`POST /admin/v1/shops/${unknownId}/webhook/rotate-secret`, undefined],
  ])('%s returns not_found', async (request, body) => {
    expect(await admin.call(request, { body })).toMatchObject(problem(404, 'not_found'));
  });
});

describe('the webhook of a shop', () => {
  test('shows its secret when it is first set, and never again (R14.16)', async () => {
    const shopId = await admin.newShop();
    const path = `/admin/v1/shops/${shopId}/webhook`;
    expect(await admin.call(`GET ${path}`)).toMatchObject(problem(404, 'not_found'));
    const url = 'http://127.0.0.1:9/hook';
    const first = await admin.call(`PUT ${path}`, { body: { url } });
    expect(first).toMatchObject({
      status: 200,
      body: { url, enabled: true, secret: expect.stringMatching(/^whsec_/) },
    });
    const disabled = { url: `${url}2`, enabled: false };
    expect((await admin.call(`PUT ${path}`, { body: disabled })).body).toEqual(disabled);
    const shown = async () => (await admin.call(`GET ${path}`)).body;
    expect(await shown()).toEqual({ ...disabled, disabled_reason: 'operator' });
    await admin.call(`PUT ${path}`, { body: { url } });
    expect(await shown()).toEqual({ url, enabled: true, disabled_reason: null });
  });

  test('signs with both secrets for a day after a rotation', async () => {
    const shopId = await admin.newShop();
    const path = `/admin/v1/shops/${shopId}/webhook`;
    const first = await admin.call(`PUT ${path}`, { body: { url: 'http://127.0.0.1:9/' } });
    const rotated = await admin.call(`POST ${path}/rotate-secret`);
    const secret = expect.stringMatching(/^whsec_/);
    expect(rotated).toMatchObject({ status: 200, body: { secret } });
    const webhook = (await admin.directory.byId(shopId))?.endpoints[0];
    expect(webhook).toMatchObject({
      secret: rotated.body['secret'],
      previous: [{ secret: first.body['secret'] }],
    });
    const leftMs = Date.parse(webhook?.previous[0]?.validUntil ?? '') - Date.now();
    expect(leftMs).toBeGreaterThan(23.9 * 3_600_000);
    expect(leftMs).toBeLessThanOrEqual(24 * 3_600_000);
  });
});

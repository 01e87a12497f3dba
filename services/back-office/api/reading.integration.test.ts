import { expect, test } from 'vitest';
import { givenPayment } from '#services/processor/testing/operations.ts';
import { newId } from '#shared/platform/ids.ts';
import { tokens, problem } from '../testing/admin.ts';
import { useConsole } from '../console/testing/console.ts';

const admin = useConsole();

test('sends every response with no-store (R16.1)', async () => {
  const shopId = await admin.newShop();
  const ofShop = [`/shops/${shopId}`, `/shops/${shopId}/api-keys`];
  for (const path of ['/shops', ...ofShop, '/tokens', '/operations/none'])
    expect([path, (await getPage(path)).headers.get('cache-control')]).toEqual([path, 'no-store']);
});

type Entries = { entries: Record<string, unknown>[]; next_cursor: string | null };
const getPage = <Content>(path: string) =>
  admin.call<Content>(`GET /admin/v1${path}`, { token: tokens.auditor });

const topUp = (shopId: string, amount: string) =>
  admin.call(`POST /admin/v1/shops/${shopId}/adjustments`, {
    body: { adjustment_id: newId(), currency: 'RUB', amount, reason: 'top-up' },
  });

test('returns a shop’s current balances, with a row for each currency', async () => {
  const shopId = await admin.newShop();
  await topUp(shopId, '-10.00');
  const nothing = { balance: '0.00', current_minus: '0.00', reserved: '0.00' };
  expect(await getPage(`/shops/${shopId}/balances`)).toMatchObject({
    status: 200,
    body: {
      balances: [
        { currency: 'EUR', ...nothing },
        { currency: 'RUB', balance: '-10.00', current_minus: '10.00', reserved: '0.00' },
        { currency: 'USD', ...nothing },
        { currency: 'USDT', ...nothing },
      ],
    },
  });
});

test('pages through the entries of a ledger, newest first', async () => {
  const shopId = await admin.newShop();
  for (const amount of ['1.00', '2.00', '3.00']) await topUp(shopId, amount);
  const path = `/shops/${shopId}/ledger/RUB`;
  const first = (await getPage<Entries>(`${path}?limit=2`)).body;
  const second = (await getPage<Entries>(`${path}?limit=2&cursor=${first.next_cursor}`)).body;
  expect(second.next_cursor).toBeNull();
  const entries = [...first.entries, ...second.entries];
  expect(entries.map(({ revision, balance_after: balance }) => [revision, balance])).toEqual([
    [2, '6.00'],
    [1, '3.00'],
    [0, '1.00'],
  ]);
  expect(entries[2]).toEqual({
    entry_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    shop_id: shopId,
    currency: 'RUB',
    revision: 0,
    kind: 'adjustment',
    adjustment_id: expect.any(String),
    reason: 'top-up',
    cause: 'AdjustmentRequested',
    legs: [
      { account: 'balance', amount: '1.00' },
      { account: 'external', amount: '-1.00' },
    ],
    balance_after: '1.00',
    reserved_after: '0.00',
    created_at: expect.stringMatching(/Z$/),
    metadata: expect.objectContaining({ actor: 'operator:alice' }),
  });
  const none = (await getPage<Entries>(`/shops/${shopId}/ledger/USD`)).body;
  expect(none).toEqual({ entries: [], next_cursor: null });
  for (const wrong of [`${path}?cursor=x`, `${path}?limit=0`, `${path}?from=1`])
    expect((await getPage(wrong)).status).toBe(400);
  for (const unknown of [`/shops/${shopId}/ledger/XXX`, `/shops/${newId()}/ledger/RUB`])
    expect(await getPage(unknown)).toMatchObject(problem(404, 'not_found'));
});

test('returns the ledger entries of an operation', async () => {
  const shopId = await admin.newShop();
  await topUp(shopId, '5.00');
  const operationId = await givenPayment(admin.store, { shopId });
  const path = `/operations/${operationId}/ledger-entries`;
  const origin = { actor: 'service:test', correlationId: operationId };
  const about = { shopId, currency: 'RUB', operationId, dueSince: 0n, origin };
  const source = { amount: '8000.00', currency: 'USDT', fx_rate: '0.012500' };
  const why = { cause: 'OperationCompleted', provider: 'sandbox', source };
  const amounts = { recorded: '100.00', commission: '1.00' };
  await admin.ledgers.post({ kind: 'credit', ...amounts, why, ...about });
  await expect.poll(async () => (await getPage<Entries>(path)).body.entries?.length).toBe(1);
  expect((await getPage<Entries>(path)).body.entries).toMatchObject([
    { kind: 'credit', operation_id: operationId, revision: 1, balance_after: '104.00', ...why },
  ]);
  const unknown = await getPage(`/operations/${newId()}/ledger-entries`);
  expect(unknown).toMatchObject(problem(404, 'operation_not_found'));
});

test('pages through shops with their merchants, and returns a shop with its routes', async () => {
  type Shops = { shops: Record<string, unknown>[]; next_cursor: string | null };
  const merchant = await admin.call('POST /admin/v1/merchants', { body: { name: 'Acme' } });
  const merchantId = merchant.body['merchant_id'];
  const created: Record<string, unknown>[] = [];
  const forPayers = { display_name: 'For payers', return_url: 'https://shop.example/' };
  for (const name of ['A', 'B', 'C']) {
    const body = { merchant_id: merchantId, name, ...forPayers };
    created.push((await admin.call('POST /admin/v1/shops', { body })).body);
  }
  const path = `/shops?merchant_id=${String(merchantId)}`;
  await expect.poll(async () => (await getPage<Shops>(path)).body.shops?.length).toBe(3);
  const first = (await getPage<Shops>(`${path}&limit=2`)).body;
  const second = (await getPage<Shops>(`${path}&limit=2&cursor=${first.next_cursor}`)).body;
  expect(second.next_cursor).toBeNull();
  const listed = [...first.shops, ...second.shops];
  expect(listed.map(({ name }) => String(name)).toSorted()).toEqual(['A', 'B', 'C']);
  expect(listed[0]).toEqual({
    shop_id: expect.any(String),
    merchant_id: merchantId,
    merchant_name: 'Acme',
    name: expect.any(String),
    hosted_page: true,
    overdraft_limits: {},
    display_name: 'For payers',
    support: null,
    return_url: 'https://shop.example/',
    payout_batches_need_second_member: false,
    webhook_url: null,
    webhook_enabled: false,
    created_at: expect.stringMatching(/Z$/),
  });
  const [shop] = created;
  const shopPath = `/shops/${String(shop?.['shop_id'])}`;
  expect((await getPage(shopPath)).body).toEqual(shop);
  const noRoutes = { routes: [], version: expect.any(String) };
  expect((await getPage(`${shopPath}/routes`)).body).toEqual(noRoutes);
  expect((await getPage('/shops?cursor=x')).status).toBe(400);
  expect((await getPage(`/shops/${newId()}`)).status).toBe(404);
});

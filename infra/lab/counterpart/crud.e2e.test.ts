import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openWebhookEndpoint,
  type WebhookReceiver,
} from '#infra/verify/harness/shops/webhook-endpoint.ts';
import type { SinkOrder } from '#infra/lab/load/generator/messages.ts';
import { commandSandbox } from '#infra/verify/harness/shops/merchant.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startCrud, type CrudTarget } from './start.ts';

// A counterpart that does less work would make the gateway look expensive.

type Came = { id: string; type: string; path: string };
const came: Came[] = [];
const secrets = new Map<string, string>();
let receiver: WebhookReceiver;

let crud: CrudTarget;
let database: Client;

beforeAll(async () => {
  receiver = await openWebhookEndpoint({
    secretOf: (path) => secrets.get(path),
    take: ({ id, path, message: { type } }, response) => {
      came.push({ id, type, path });
      // The very first delivery is rejected.
      response.writeHead(came.length === 1 ? 500 : 204).end();
    },
  });
  const url = receiver.origin;
  const request = async <Given>(order: SinkOrder) => {
    if (order.order === 'secret') secrets.set(`/${order.shop}`, order.secret);
    return { url } as Given;
  };
  const sink = { pid: process.pid, request, stop: async () => undefined };
  crud = await startCrud(sink, { settlesAlone: false });
  database = new Client({ connectionString: crud.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await crud.stop();
  await receiver.close();
});

type Answer = { status: number; body: Record<string, never> };

async function call(path: string, body?: object, shop = 0): Promise<Answer> {
  const response = await fetch(`${crud.url}/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      'x-api-key': crud.shops[shop]?.apiKey ?? 'none',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

let orders = 0;
const order = (change: object = {}) => ({
  merchant_operation_id: `order-${(orders += 1)}`,
  client_id: 'client',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
  ...change,
});
const payout = (change: object = {}) => order({ number: '2200123456789010', ...change });
const roubles = async () => {
  const balances = (await call('balances')).body['balances'] as unknown as { currency: string }[];
  return balances.find(({ currency }) => currency === 'RUB');
};

it('rejects unknown keys, invalid bodies and payouts without funds', async () => {
  expect(await call('balances', undefined, 99)).toMatchObject({ status: 401 });
  expect(await call('payment', order({ amount: '1.5' }))).toMatchObject({ status: 400 });
  expect(await call('payment', order({ typo: 1 }))).toMatchObject({ status: 400 });
  expect(await call('payout', payout({ amount: '99999999999.00' }))).toMatchObject({
    status: 422,
    body: { code: 'insufficient_funds' },
  });
});

it('completes payments, payouts and cancels, with ledger entries and webhooks', async () => {
  const first = order();
  const made = await call('payment', first);
  expect(made).toMatchObject({
    status: 200,
    body: { status: 'pending', settlement_amount: '97.50', commission_amount: '2.50' },
  });
  expect(made.body['number']).toEqual(expect.any(String));
  expect((await call('payment', first)).body['operation_id']).toBe(made.body['operation_id']);
  expect((await call('payment', { ...first, amount: '7.00' })).status).toBe(412);
  const race = order();
  const racers = await Promise.all(Array.from({ length: 8 }, () => call('payment', race)));
  expect(new Set(racers.map(({ body }) => body['operation_id'])).size).toBe(1);

  const paidOut = await call('payout', payout());
  expect(paidOut.body).toMatchObject({ type: 'payout', settlement_amount: '102.50' });
  expect(await roubles()).toMatchObject({ balance: '999999897.50', reserved: '102.50' });
  const { operation_id: doomed } = (await call('payment', order())).body;
  const cancel = (id: unknown, shop = 0) => call('cancel_operation', { operation_id: id }, shop);
  expect((await cancel(doomed, 1)).status).toBe(404);
  expect((await cancel(paidOut.body['operation_id'])).status).toBe(412);
  expect((await cancel(doomed)).body).toMatchObject({ outcome: 'cancelled' });
  expect((await cancel(doomed)).body).toMatchObject({ outcome: 'cancelled' });

  for (const { body } of [made, racers[0] as Answer, paidOut])
    expect((await commandSandbox(crud.providerUrl, body['operation_id'] ?? '')).status).toBe(200);
  const delivered = () => new Set(came.map(({ id }) => id)).size === 4 && came.length === 5;
  await eventually('every webhook has arrived, one of them twice', delivered);
  expect(receiver.faults).toEqual([]);
  expect(came.map(({ type }) => type).toSorted()).toEqual(
    expect.arrayContaining(['payment.cancelled', 'payment.completed', 'payout.completed']),
  );
  const state = await call('get_operation_state', {
    merchant_operation_id: first.merchant_operation_id,
  });
  expect(state.body).toMatchObject({
    status: 'completed',
    actual_amount: '100.00',
    receipt_evidence_status: 'complete',
    receipts: [{ amount: 100 }],
  });
  // Two payments are credited and one payout is captured.
  expect(await roubles()).toEqual({
    currency: 'RUB',
    balance: '1000000092.50',
    reserved: '0.00',
    current_minus: '0.00',
  });
  const rows = async (text: string) => (await database.query(text)).rows as unknown;
  expect(
    await rows('select kind, count(*)::int from ledger_entries group by kind order by kind'),
  ).toEqual([
    { kind: 'capture', count: 1 },
    { kind: 'credit', count: 2 },
    { kind: 'reserve', count: 1 },
  ]);
  expect(
    await rows(`select b.balance = 1000000000 + e.balance and b.reserved = e.reserved as same from balances b join
      (select shop_id, currency, sum(balance_change) balance, sum(reserved_change) reserved
       from ledger_entries group by 1, 2) e using (shop_id, currency)`),
  ).toEqual([{ same: true }]);
  expect(await rows(`select status, last_result from outbox where kind = 'withdraw'`)).toEqual([
    { status: 'done', last_result: 'withdrawn' },
  ]);
});

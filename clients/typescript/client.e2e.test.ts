import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forFile, useTempFolder } from '#infra/verify/harness/for-file.ts';
import { stackForFile } from '#infra/verify/harness/test-stack.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { request, setUpMerchant, type TestMerchant } from '#infra/verify/harness/merchant.ts';
import { unpackPackage } from '#infra/verify/client-package/package.ts';
import { createClient, orThrow, type Client, type ClientOptions } from './index.ts';
import { startCuttingProxy } from './testing/cutting-proxy.ts';

// The event store alone is stopped below, and the merchant API alone killed.
const stack = stackForFile({ env: { PROCESSES: 'apart' } });
let merchant: TestMerchant;
const proxy = forFile(() => startCuttingProxy(stack.urls.gateway));
const open: TestMerchant[] = [];

const routes = [
  { method: 'WT_RUB_C2C' },
  { method: 'WT_RUB_PHONE', requires_receipt: true },
  { type: 'payout', method: 'WT_RUB_C2C' },
];

async function openShop(settings: object = {}): Promise<TestMerchant> {
  const opened = await setUpMerchant(stack, { routes, settings });
  open.push(opened);
  return opened;
}

beforeAll(async () => {
  merchant = await openShop();
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
});

const clientOf = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ baseUrl: stack.urls.gateway, apiKey: merchant.apiKey, ...options });

let orders = 0;
const payment = () => {
  orders += 1;
  return {
    merchant_operation_id: `order-${orders}`,
    client_id: 'client-1',
    method: 'WT_RUB_C2C',
    amount: '100.00',
    currency: 'RUB',
  } as const;
};
const payout = () => ({ ...payment(), number: '2200 1234 5678 9010' });

const provider = async (operationId: string, command = '', body?: object) =>
  request(
    `${stack.urls.sandbox}/control/operations/${operationId}${command}`,
    body ? 'POST' : 'GET',
    body,
  );

/** The number of submissions to the provider, without repeats of one attempt. */
async function submissions(operationId: string): Promise<number> {
  const { body } = await provider(operationId);
  return (body.submissions as unknown[]).length;
}

describe('endpoints of operations', () => {
  it('create a payment, and read it by either identifier until it is paid', async () => {
    const client = clientOf();
    const body = payment();
    const created = orThrow(await client.createPaymentLink(body));
    expect(created).toMatchObject({
      status: 'pending',
      payment_url: `${stack.env['PAY_BASE_URL']}/${created.operation_id}`,
    });
    await provider(created.operation_id, '/settle', { result: 'completed' });
    const read = async () =>
      orThrow(
        await client.getOperationState({ merchant_operation_id: body.merchant_operation_id }),
      );
    await waitUntil('it is completed', async () => (await read()).status === 'completed', {
      timeoutMs: 20_000,
    });
    const state = await read();
    expect(state.receipts.map(({ amount }) => amount)).toEqual(['100.00']);
    const { receipts: _, ...byOther } = orThrow(
      await client.getOperationState({ operation_id: created.operation_id }),
    );
    expect(state).toMatchObject(byOther);
    const rub = orThrow(await client.getBalances()).balances.find(
      ({ currency }) => currency === 'RUB',
    );
    expect(rub).toMatchObject({ balance: '97.50' });
  });

  it('accept a receipt twice', async () => {
    const client = clientOf();
    const { operation_id, status } = orThrow(
      await client.createPayment({ ...payment(), method: 'WT_RUB_PHONE' }),
    );
    expect(status).toBe('awaiting_confirmation');
    const receipt = new Blob(['%PDF-1.4\n%%EOF']);
    const confirm = () =>
      client.confirmPayment({ operation_id, confirmation_type: 'receipt', receipt });
    const first = orThrow(await confirm());
    expect(first).toMatchObject({ operation_id, method: 'WT_RUB_PHONE' });
    expect(orThrow(await confirm()).operation_id).toBe(operation_id);
    expect((await provider(operation_id)).body.receipts).toHaveLength(1);
  });

  it('create a payout, cancel a payment and list methods', async () => {
    const client = clientOf();
    expect(orThrow(await client.createPayout(payout()))).toMatchObject({ type: 'payout' });
    const { operation_id } = orThrow(await client.createPayment(payment()));
    expect(orThrow(await client.cancelOperation({ operation_id, reason: 'test' }))).toMatchObject({
      outcome: 'cancelled',
      operation: { operation_id, status: 'cancelled' },
    });
    const { methods } = orThrow(await client.listMethods());
    expect(methods.map(({ method }) => method)).toContain('WT_RUB_C2C');
  });
});

describe('other endpoints', () => {
  it('run a payout batch, and export lists', async () => {
    const client = clientOf();
    const columns = 'merchant_operation_id,client_id,method,amount,currency,number,name,bankname';
    const file = `${columns}\nrow-1,client-1,WT_RUB_C2C,1.00,RUB,2200 1234 5678 9010,,\n`;
    const { batch_id, errors } = orThrow(await client.checkPayoutBatch({ file }));
    expect(errors).toEqual([]);
    orThrow(await client.confirmPayoutBatch({ batch_id }));
    const status = async () => orThrow(await client.getPayoutBatch({ batch_id })).status;
    await waitUntil('it is done', async () => (await status()) === 'done', { timeoutMs: 20_000 });
    expect(orThrow(await client.getPayoutBatchResult({ batch_id }))).toMatch(
      /^row,[^\n]+\r\n1,row-1,[\w-]{36},created,\r\n$/,
    );
    for (const rows of [
      await client.exportOperations({}),
      await client.exportJournal({ currency: 'RUB' }),
      await client.exportDeliveries({}),
    ])
      expect(orThrow(rows)).toMatch(/^\w+,/);
  });

  it('manage webhook endpoints, and read statements, checkpoints and keys', async () => {
    const client = clientOf();
    const made = orThrow(
      await client.createWebhookEndpoint({ url: 'http://127.0.0.1:9/', types: ['ping'] }),
    );
    const { endpoint_id } = made;
    expect(orThrow(await client.rotateWebhookSecret({ endpoint_id })).secret).not.toBe(made.secret);
    orThrow(await client.changeWebhookEndpoint({ endpoint_id, enabled: false }));
    expect(orThrow(await client.getWebhookEndpoint({ endpoint_id })).enabled).toBe(false);
    expect(await client.deleteWebhookEndpoint({ endpoint_id })).toMatchObject({ ok: true });
    const { webhook_endpoints: remaining } = orThrow(await client.listWebhookEndpoints());
    expect(remaining.map((each) => each.endpoint_id)).not.toContain(endpoint_id);

    const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const statement = orThrow(await client.getStatement({ currency: 'RUB', ...period }));
    const { keys } = orThrow(await client.listCheckpointKeys());
    expect(keys.map((key) => key.key_id)).toContain(statement.checkpoint.key_id);
    expect(orThrow(await client.listCheckpoints({})).checkpoints.length).toBeGreaterThan(0);
  });
});

describe('a request whose answer is lost', () => {
  it.each([
    ['before its first byte', 0],
    ['within its headers', 40],
    ['within its body', -5],
  ])('is repeated, and creates one payment: %s', async (_, afterBytes) => {
    const client = clientOf({ baseUrl: proxy.url });
    proxy.cutNext(2, afterBytes);
    const result = await client.createPayment(payment());
    expect(result).toMatchObject({
      ok: true,
      replayed: true,
      attempts: 3,
      data: { status: 'pending' },
    });
    expect(await submissions(orThrow(result).operation_id)).toBe(1);
  });

  it('returns the first decision of a cancel', async () => {
    const client = clientOf({ baseUrl: proxy.url });
    const { operation_id } = orThrow(await client.createPayment(payment()));
    proxy.cutNext(1, 0);
    expect(await client.cancelOperation({ operation_id })).toMatchObject({
      attempts: 2,
      data: { outcome: 'cancelled' },
    });
  });

  it('has an unknown outcome at the deadline, which the same create resolves', async () => {
    const body = payment();
    proxy.cutNext(100, 0);
    const unknown = await clientOf({ baseUrl: proxy.url }).createPayment(body, {
      deadlineMs: 6_000,
    });
    expect(unknown).toMatchObject({ ok: false, error: { code: 'no_answer', outcome: 'unknown' } });
    proxy.cutNext(0, 0);
    expect(await clientOf().createPayment(body)).toMatchObject({ ok: true, replayed: true });
  });
});

describe('retries', () => {
  it('succeed after 429', async () => {
    const limited = await openShop({ rate_limit: { per_second: 1, burst: 2 } });
    const retries: string[] = [];
    const client = clientOf({
      apiKey: limited.apiKey,
      onRetry: ({ because }) => retries.push(because),
    });
    const results = await Promise.all(
      Array.from({ length: 4 }, async () => client.createPayment(payment())),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(retries.length).toBeGreaterThan(1);
    expect(new Set(retries)).toEqual(new Set(['rate_limited']));
  });

  it('succeed after 503 while the log is unavailable, with one payment', async () => {
    const ready = async () => (await fetch(`${stack.urls.gateway}/readyz`)).status;
    const retries: string[] = [];
    const client = clientOf({ attemptMs: 10_000, onRetry: ({ because }) => retries.push(because) });
    await freeze(stack.pids()['event-store'] ?? 0);
    try {
      await waitUntil('the gateway is not ready', async () => (await ready()) === 503, {
        timeoutMs: 30_000,
      });
      const creating = client.createPayment(payment());
      await waitUntil('the create was rejected', () => retries.length > 0, { timeoutMs: 30_000 });
      stack.kill('event-store', 'SIGCONT');
      const result = await creating;
      expect(retries).toContain('not_ready');
      expect(await submissions(orThrow(result).operation_id)).toBe(1);
    } finally {
      stack.kill('event-store', 'SIGCONT');
    }
  });

  it('succeed after a restart of the killed gateway', async () => {
    const { 'merchant-api': before = 0 } = stack.pids();
    stack.kill('merchant-api', 'SIGKILL');
    expect(await clientOf().createPayment(payment())).toMatchObject({ ok: true });
    await stack.waitReady([before]);
  });
});

describe('a rejection', () => {
  it('returns every invalid field', async () => {
    const result = await clientOf().createPayment({ ...payment(), amount: '1', client_ip: 'x' });
    expect(result).toMatchObject({
      error: {
        code: 'invalid_request',
        status: 400,
        attempts: 1,
        errors: [
          { pointer: '/client_ip', code: 'client_ip_invalid' },
          { pointer: '/amount', code: 'amount_invalid' },
        ],
      },
    });
  });

  it('returns the code for a wrong key, another body and an unknown operation', async () => {
    const client = clientOf();
    expect(await clientOf({ apiKey: 'unknown' }).getBalances()).toMatchObject({
      error: { code: 'api_key_invalid', status: 401 },
    });
    const body = payment();
    await client.createPayment(body);
    expect(await client.createPayment({ ...body, amount: '1.00' })).toMatchObject({
      error: { code: 'idempotency_body_mismatch', status: 412, outcome: 'not_done' },
    });
    expect(await client.getOperationState({ merchant_operation_id: 'nothing' })).toMatchObject({
      error: { code: 'operation_not_found', status: 404 },
    });
  });

  it('returns the id of an operation that no provider accepted', async () => {
    const client = clientOf();
    const body = {
      ...payout(),
      method: 'WT_RUB_PHONE',
      number: '+79001234567',
      bankname: 'vtb',
    } as const;
    const result = await client.createPayout(body);
    if (result.ok || result.error.code !== 'provider_not_accepted')
      throw new Error('another outcome');
    const { operationId } = result.error;
    expect(orThrow(await client.getOperationState({ operation_id: operationId })).status).toBe(
      'declined',
    );
  });

  it('returns the code for missing funds and for calls that are not allowed', async () => {
    const withoutFunds = await openShop({ overdraft_limits: { RUB: '0.00' } });
    expect(await clientOf({ apiKey: withoutFunds.apiKey }).createPayout(payout())).toMatchObject({
      error: { code: 'insufficient_funds', operationId: expect.any(String) },
    });
    const client = clientOf();
    const { operation_id } = orThrow(await client.createPayout(payout()));
    expect(await client.cancelOperation({ operation_id })).toMatchObject({
      error: { code: 'cancel_payout_unsupported' },
    });
    const receipt = new Blob(['%PDF-1.4']);
    expect(
      await client.confirmPayment({ operation_id, confirmation_type: 'receipt', receipt }),
    ).toMatchObject({ error: { code: 'confirmation_not_expected' } });
  });
});

const hasPython = spawnSync('python3', ['-V']).error === undefined;

it.skipIf(!hasPython)('the Python client calls the endpoints of a real gateway', async () => {
  const folder = useTempFolder();
  unpackPackage(folder);
  const program = `import json, os
from gateway_client import Gateway, GatewayError
gateway = Gateway(os.environ["GATEWAY"], os.environ["API_KEY"])
payment = json.loads(os.environ["PAYMENT"])
created = gateway.create_payment(**payment)
again = gateway.create_payment(**payment)
paid_out = gateway.create_payout(**json.loads(os.environ["PAYOUT"]))
waiting = gateway.create_payment(**json.loads(os.environ["WITH_RECEIPT"]))
confirmed = gateway.confirm_payment(b"%PDF-1.4\\n%%EOF", operation_id=waiting["operation_id"])
cancelled = gateway.cancel_operation(operation_id=created["operation_id"], reason="test")
state = gateway.get_operation_state(merchant_operation_id=payment["merchant_operation_id"])
found = gateway.list_operations(merchant_operation_id=payment["merchant_operation_id"])
try:
    gateway.get_operation_state(operation_id="none")
except GatewayError as error:
    refused = [error.code, error.outcome]
print(json.dumps([again.replayed, paid_out["type"], confirmed["method"], cancelled["outcome"],
    state["status"], isinstance(found["operations"], list), len(gateway.get_balances()["balances"]) > 0,
    len(gateway.list_methods()["methods"]) > 0, refused]))
`;
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: join(folder, 'gateway-client/python'),
    GATEWAY: stack.urls.gateway,
    API_KEY: merchant.apiKey,
    PAYMENT: JSON.stringify(payment()),
    PAYOUT: JSON.stringify(payout()),
    WITH_RECEIPT: JSON.stringify({ ...payment(), method: 'WT_RUB_PHONE' }),
  };
  const { stdout } = await promisify(execFile)('python3', ['-c', program], { env });
  expect(JSON.parse(stdout)).toEqual([
    true,
    'payout',
    'WT_RUB_PHONE',
    'cancelled',
    'cancelled',
    true,
    true,
    true,
    ['invalid_request', 'not_done'],
  ]);
});

import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { forFile, useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { merchantForFile, request } from '#infra/verify/harness/shops/merchant.ts';
import { unpackPackage } from '#infra/verify/client-package/package.ts';
import { createClient, orThrow } from './index.ts';

const routes = [
  { method: 'WT_RUB_C2C' },
  { method: 'WT_RUB_PHONE', requires_receipt: true },
  { type: 'payout', method: 'WT_RUB_C2C' },
];

const stack = stackForFile();
const merchant = merchantForFile(stack, { routes });
const client = forFile(() =>
  createClient({ baseUrl: stack.urls.gateway, apiKey: merchant.apiKey }),
);

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

describe('endpoints of operations', () => {
  it('create a payment, and read it by either identifier until it is paid', async () => {
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
    await eventually('it is completed', async () => (await read()).status === 'completed');
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

describe('a rejection', () => {
  it('returns every invalid field', async () => {
    const result = await client.createPayment({ ...payment(), amount: '1', client_ip: 'x' });
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

  it('returns the id of an operation that no provider accepted', async () => {
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

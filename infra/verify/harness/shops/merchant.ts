import { eventually, untilAnswered, waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { forFile } from '../tests/for-file.ts';
import { openShop, createTestOperator, sandboxRoute } from './operator.ts';
import type { StackAddress } from '../stacks/test-stack.ts';
import { openWebhookEndpoint } from './webhook-endpoint.ts';

// What an answer holds is what the tests are about: they check it themselves.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
export type MerchantAnswer = { status: number; body: Json };

type Delivery = {
  id: string;
  type: string;
  /** A ping has none. */
  operationId: string | undefined;
  sequence: number;
  body: string;
};

export type TestMerchant = Awaited<ReturnType<typeof setUpMerchant>>;

type MerchantOptions = {
  routes?: readonly object[];
  /** What `POST /admin/v1/shops` takes besides. */
  settings?: object;
};

/**
 * A merchant of a running stack: a shop with a key, routes and a webhook, set up as an operator
 * does it.
 */
export async function setUpMerchant(
  stack: StackAddress,
  { routes = [{}], settings = {} }: MerchantOptions = {},
) {
  /** All webhooks with a valid signature, in order of arrival. */
  const deliveries: Delivery[] = [];
  let secret: string | undefined;
  const endpoint = await openWebhookEndpoint({
    secretOf: () => secret,
    take: ({ id, body, message: { type, sequence, data } }, response) => {
      deliveries.push({ id, type, operationId: data.operation?.operation_id, sequence, body });
      response.writeHead(204).end();
    },
  });
  const opened = await openShop(createTestOperator(stack), {
    name: 'Test',
    settings,
    routes: routes.map(sandboxRoute),
    webhookUrl: `${endpoint.origin}/webhook`,
  });
  const { shopId, apiKey } = opened;
  ({ secret } = opened);
  /** One request to the merchant API, with the key of the shop. */
  const call = (method: string, path: string, body?: object) =>
    request(`${stack.urls.gateway}${path}`, method, body, { 'x-api-key': apiKey });
  const state = (reference: object) => call('POST', '/v1/get_operation_state', reference);
  return {
    shopId,
    apiKey,
    pay: (merchantOperationId: string, amount?: string) =>
      call('POST', '/v1/payment', paymentOrder(merchantOperationId, amount)),
    payOut: (merchantOperationId: string, amount?: string) =>
      call('POST', '/v1/payout', {
        ...paymentOrder(merchantOperationId, amount),
        number: '2200 1234 5678 9010',
      }),
    state,
    call,
    /** In roubles. */
    balance: async (): Promise<string> => {
      const { body } = await untilAnswered(() => call('GET', '/v1/balances'));
      return body.balances.find(({ currency }: { currency: string }) => currency === 'RUB').balance;
    },
    /** The status of an operation once it is one of these. `mayFail`: requests may, meanwhile. */
    waitForStatus: async (
      operationId: string,
      statuses: readonly string[],
      { mayFail = false } = {},
    ) => {
      let status = '';
      const isOneOfThem = async () => {
        const answer = await state({ operation_id: operationId }).catch((error: unknown) => {
          if (!mayFail) throw error;
        });
        status = String(answer?.body?.status);
        return statuses.includes(status);
      };
      const within = { intervalMs: 50 };
      await eventually(`${operationId} is ${statuses.join(' or ')}`, isOneOfThem, within);
      return status;
    },
    deliveries,
    waitForDelivery: async (what: (delivery: Delivery) => boolean) => {
      await eventually('the webhook has come', () => deliveries.some(what));
      return deliveries.find(what) as Delivery;
    },
    faults: endpoint.faults,
    close: endpoint.close,
  };
}

const paymentOrder = (merchantOperationId: string, amount = '100.00') => ({
  merchant_operation_id: merchantOperationId,
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount,
  currency: 'RUB',
});

export const merchantForFile = (stack: StackAddress, options?: MerchantOptions): TestMerchant =>
  forFile(() => setUpMerchant(stack, options));

/** One request, with a deadline. @throws when no answer comes */
export async function request(
  url: string,
  method: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<MerchantAnswer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(waitLimitMs),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** One request to the admin API of a stack, with the token of its first admin. */
export const askAdmin = (
  { urls, adminToken }: StackAddress,
  method: string,
  path: string,
  body?: object,
): Promise<MerchantAnswer> =>
  request(`${urls.admin}/admin/v1${path}`, method, body, { authorization: `Bearer ${adminToken}` });

/** What the sandbox provider at that URL has of an operation. */
export const atSandbox = (url: string, operationId: string): Promise<MerchantAnswer> =>
  request(`${url}/control/operations/${operationId}`, 'GET');

/** Commands the sandbox provider at that URL; by default it completes the operation. */
export const commandSandbox = (
  url: string,
  operationId: string,
  command = 'settle',
  body: object = { result: 'completed' },
): Promise<MerchantAnswer> =>
  request(`${url}/control/operations/${operationId}/${command}`, 'POST', body);

import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { commandSandbox, request, setUpMerchant } from '#infra/verify/harness/shops/merchant.ts';
import type { StackAddress } from '#infra/verify/harness/stacks/test-stack.ts';

type Made = { id: string; url: string };
type MakeOptions = {
  amount?: string;
  method?: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
  /** Whether the payer has to upload a receipt, which a person reviews. */
  receipt?: boolean;
  /** Seconds until the provider expires the payment. */
  expiresInS?: number;
};

/** What payers see of these shops. */
const shopForPayers = {
  display_name: 'Harbour Tea',
  support: '+44 20 7946 0000, help@tea.example',
  return_url: 'https://tea.example/orders/{merchant_operation_id}',
};

/** All routes of a shop have the same options, so each kind of payment has its own shop. */
function createShops(stack: StackAddress) {
  const merchants: Awaited<ReturnType<typeof setUpMerchant>>[] = [];
  const keys = new Map<string, string>();
  const keyOf = async ({ receipt = false, expiresInS }: MakeOptions): Promise<string> => {
    const name = `${receipt}-${expiresInS}`;
    const cached = keys.get(name);
    if (cached !== undefined) return cached;
    const options = {
      review: 'manual',
      ...(expiresInS !== undefined && { expires_in_s: expiresInS }),
    };
    const route = { requires_receipt: receipt, options };
    const merchant = await setUpMerchant(stack, {
      settings: shopForPayers,
      routes: ['WT_RUB_C2C', 'WT_RUB_PHONE'].map((method) => ({ ...route, method })),
    });
    merchants.push(merchant);
    keys.set(name, merchant.apiKey);
    return merchant.apiKey;
  };
  const close = async () => void (await Promise.all(merchants.map((merchant) => merchant.close())));
  return { keyOf, close };
}

/** Creates payments with hosted pages on a running stack, and controls them at the provider. */
export async function setUpPayments(stack: StackAddress) {
  const shops = createShops(stack);
  let count = 0;

  const call = async (path: string, body: object, key: string) => {
    const answer = await request(`${stack.urls.gateway}/v1${path}`, 'POST', body, {
      'x-api-key': key,
    });
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const keys = new Map<string, string>();

  return {
    make: async (options: MakeOptions = {}): Promise<Made & { number: string; order: string }> => {
      const key = await shops.keyOf(options);
      count += 1;
      const order = `order-${count}`;
      const payment = await call(
        '/payment/link',
        {
          merchant_operation_id: order,
          client_id: 'client-1',
          method: options.method ?? 'WT_RUB_C2C',
          amount: options.amount ?? '1234.50',
          currency: 'RUB',
        },
        key,
      );
      keys.set(payment.operation_id, key);
      return { id: payment.operation_id, url: payment.payment_url, number: payment.number, order };
    },
    /** A command to the provider (R20.2). */
    control: async (
      { id }: Made,
      command: 'settle' | 'leg' | 'review' | 'expire',
      body: object,
    ): Promise<void> => {
      const answer = await commandSandbox(stack.urls.sandbox, id, command, body);
      if (answer.status !== 200) throw new Error(`${command}: ${answer.status}`);
    },
    cancel: async ({ id }: Made) =>
      call('/cancel_operation', { operation_id: id }, keys.get(id) ?? ''),
    state: async ({ id }: Made) =>
      call('/get_operation_state', { operation_id: id }, keys.get(id) ?? ''),
    waitFor: async ({ id }: Made, status: string) => {
      const key = keys.get(id) ?? '';
      const hasStatus = async () =>
        (await call('/get_operation_state', { operation_id: id }, key)).status === status;
      await eventually(`${id} is ${status}`, hasStatus);
    },
    close: shops.close,
  };
}

export type Payments = Awaited<ReturnType<typeof setUpPayments>>;

import { request, setUpMerchant, type TestMerchant } from '#infra/verify/harness/merchant.ts';
import { noRateLimit } from '#infra/verify/harness/operator.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/test-stack.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { makeForm } from './multipart.ts';

/**
 * A stack with a shop that is asked hostile things, another that is changed in hostile ways, and
 * what they have.
 */
export type AttackedStack = {
  stack: TestStack;
  shop: TestMerchant;
  spare: TestMerchant;
  /**
   * A payment that can be paid, one that waits for a receipt, one that has ended with money and has
   * receipts.
   */
  pending: string;
  awaiting: string;
  completed: string;
  /** A receipt's link that works, without the origin. */
  receiptPath: string;
  /** The console's session. */
  cookie: string;
  /** A session of an admin of the shop in the portal, and what its forms carry. */
  portal: { cookie: string; formToken: string };
  stop(): Promise<void>;
};

const fast = { rate_limit: noRateLimit };
export const receiptFile = Buffer.from('%PDF-1.4\nreceipt of a hostile payer\n%%EOF\n');

/** Starts it; `env` goes over the stack's own. */
export async function startAttackedStack(env: Readonly<Record<string, string>> = {}): Promise<AttackedStack> {
  const stack = await startTestStack({
    // Each request comes from an address of its own, as far as the payment page can tell.
    env: { PAY_TRUSTED_PROXIES: '1', NODE_OPTIONS: '--inspect-port=0', PROCESSES: 'apart', ...env },
  });
  try {
    return await furnish(stack);
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function furnish(stack: TestStack): Promise<AttackedStack> {
  const withReceipt = { method: 'WT_RUB_PHONE', requires_receipt: true, options: { review: 'manual' } };
  const payout = { type: 'payout', method: 'WT_RUB_C2C' };
  const shop = await setUpMerchant(stack, { routes: [{}, withReceipt, payout], settings: fast });
  const spare = await setUpMerchant(stack, { settings: fast });
  const create = async (id: string, change: object = {}) => {
    const body = {
      merchant_operation_id: id,
      client_id: 'client',
      method: 'WT_RUB_C2C',
      amount: '100.00',
      currency: 'RUB',
      ...change,
    };
    const { body: made } = await request(`${stack.urls.gateway}/v1/payment`, 'POST', body, {
      'x-api-key': shop.apiKey,
    });
    return String(made.operation_id);
  };
  const pending = await create('pending');
  const awaiting = await create('awaiting', { method: 'WT_RUB_PHONE' });
  const completed = await create('completed');
  await request(`${stack.urls.sandbox}/control/operations/${completed}/settle`, 'POST', {
    result: 'completed',
    legs: [{ amount: '100.00', file: true }],
  });
  let receiptUrl: string | undefined;
  await waitUntil(
    'the receipt can be had',
    async () => {
      const { body } = await shop.state({ operation_id: completed });
      receiptUrl = body.receipts?.[0]?.receipt_url;
      return receiptUrl !== undefined;
    },
    { timeoutMs: 20_000 },
  );
  const { pathname, search } = new URL(receiptUrl ?? '');
  const cookie = await signIn(stack);
  const portal = await signInToPortal(stack, shop.shopId);
  return {
    stack,
    shop,
    spare,
    pending,
    awaiting,
    completed,
    receiptPath: pathname + search,
    cookie,
    portal,
    stop: async () => {
      await Promise.all([shop.close(), spare.close()]);
      await stack.stop();
    },
  };
}

async function signIn({ urls, adminToken }: TestStack): Promise<string> {
  const answer = await fetch(`${urls.admin}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ token: adminToken, to: '/' }),
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  return cookiesOf(answer);
}

const cookiesOf = ({ headers }: Response): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** As an admin of the shop, whom an operator let in with a link. */
async function signInToPortal({ urls, adminToken }: TestStack, shopId: string) {
  const { body: member } = await request(
    `${urls.admin}/admin/v1/shops/${shopId}/members`,
    'POST',
    { name: 'Hostile', role: 'admin' },
    { authorization: `Bearer ${adminToken}` },
  );
  const link = new URL(String(member.sign_in_url)).searchParams.get('link') ?? '';
  const answer = await fetch(`${urls.portal}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ link, to: '/' }),
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const cookie = cookiesOf(answer);
  const page = await (await fetch(`${urls.portal}/keys/new`, { headers: { cookie } })).text();
  const [, formToken] = /name="form_token" value="([^"]+)"/.exec(page) ?? [];
  if (formToken === undefined) throw new Error('the portal let nobody in');
  return { cookie, formToken };
}

export const confirmForm = (operationId: string) =>
  makeForm({ operation_id: operationId, confirmation_type: 'receipt' }, receiptFile);

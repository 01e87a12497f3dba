import { makeForm } from '#infra/verify/harness/shops/form.ts';
import { commandSandbox, setUpMerchant } from '#infra/verify/harness/shops/merchant.ts';
import { noRateLimit } from '#infra/verify/harness/shops/operator.ts';
import { signInToConsole, signInToPortal } from '#infra/verify/harness/shops/sessions.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { accountFrom, accountRoute, uploadStatement, openAccounts } from './attacked-account.ts';

export type AttackedStack = Awaited<ReturnType<typeof furnish>>;

const fast = { rate_limit: noRateLimit };
export const hostileReceipt = Buffer.from('%PDF-1.4\nreceipt of a hostile payer\n%%EOF\n');

/** Starts it; `env` goes over the stack's own. */
export async function startAttackedStack(
  env: Readonly<Record<string, string>> = {},
): Promise<AttackedStack> {
  const stack = await startTestStack({
    // To the services each request seems to come from its own address.
    env: {
      GATEWAY_TRUSTED_PROXIES: '1',
      ADMIN_TRUSTED_PROXIES: '1',
      PAY_TRUSTED_PROXIES: '1',
      PORTAL_TRUSTED_PROXIES: '1',
      NODE_OPTIONS: '--inspect-port=0',
      PROCESSES: 'apart',
      ...env,
    },
  });
  try {
    return await furnish(stack);
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** Adds a shop for hostile requests, another for hostile changes, and their data. */
async function furnish(stack: TestStack) {
  const withReceipt = {
    method: 'WT_RUB_PHONE',
    requires_receipt: true,
    options: { review: 'manual' },
  };
  const payout = { type: 'payout', method: 'WT_RUB_C2C' };
  await openAccounts(stack);
  const routes = [{}, accountRoute, withReceipt, payout];
  const shop = await setUpMerchant(stack, { routes, settings: fast });
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
    const { body: made } = await shop.call('POST', '/v1/payment', body);
    return String(made.operation_id);
  };
  const pending = await create('pending');
  const awaiting = await create('awaiting', { method: 'WT_RUB_PHONE' });
  const completed = await create('completed');
  const account = await uploadStatement(stack, await create('account', { amount: accountFrom }));
  await commandSandbox(stack.urls.sandbox, completed, 'settle', {
    result: 'completed',
    legs: [{ amount: '100.00', file: true }],
  });
  let receiptUrl: string | undefined;
  await eventually('the receipt can be had', async () => {
    const { body } = await shop.state({ operation_id: completed });
    receiptUrl = body.receipts?.[0]?.receipt_url;
    return receiptUrl !== undefined;
  });
  const { pathname, search } = new URL(receiptUrl ?? '');
  const console = await signInToConsole(stack);
  const portal = await signInToPortal(stack, shop.shopId);
  return {
    stack,
    shop,
    spare,
    /** A payment that can be paid. */
    pending,
    /** One that waits for a receipt. */
    awaiting,
    /** One that has ended with money and has receipts. */
    completed,
    /** Creates another payment. @returns its id */
    create,
    /** A receipt's link that works, without the origin. */
    receiptPath: pathname + search,
    /** An account with the sandbox, used by the largest payments. */
    account,
    console,
    portal,
    stop: async () => {
      await Promise.all([shop.close(), spare.close()]);
      await stack.stop();
    },
  };
}

export const confirmForm = (operationId: string) =>
  makeForm({ operation_id: operationId, confirmation_type: 'receipt' }, hostileReceipt);

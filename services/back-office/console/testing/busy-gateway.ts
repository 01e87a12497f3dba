import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { commandSandbox, request } from '#infra/verify/harness/shops/merchant.ts';
import { sandboxRoute } from '#infra/verify/harness/shops/operator.ts';
import type { StackAddress } from '#infra/verify/harness/stacks/test-stack.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { receiptPdf } from './receipt-pdf.ts';
import { receiptPicture } from './receipt-picture.ts';

type Body = Readonly<Record<string, string>>;

/** The data of a day at a gateway: two shops, operations in every state, and pending decisions. */
export type BusyDay = {
  shopId: string;
  /** The shop whose webhook endpoint never responds. */
  deafShopId: string;
  /** A partially completed payment. */
  partial: string;
  /** Payments whose receipt awaits a decision: unreadable, possibly forged, a picture, two more. */
  flagged: readonly string[];
  /** The header with the API key of the first shop. */
  key: Readonly<Record<string, string>>;
};

/** The day, and access to the gateway. */
export type BusyGateway = BusyDay & {
  /** Creates another payment. @returns its ID */
  pay(): Promise<string>;
  admin: Admin;
  close(): Promise<void>;
};

const routes = [
  sandboxRoute({ min_amount: '5000.00', options: { accept: 'decline' } }),
  sandboxRoute({ priority: 2 }),
  sandboxRoute({
    priority: 2,
    method: 'WT_RUB_PHONE',
    requires_receipt: true,
    commission: { percent: '3.00', fixed: '1.00' },
  }),
  sandboxRoute({ type: 'payout', priority: 2, commission: { percent: '1.00' } }),
];

const amounts = ['1490.00', '12500.50', '999.99', '7200.00', '349.00'] as const;
const results = ['completed', 'completed', 'partial', 'declined', 'expired'] as const;

/**
 * Sets up the day on a running stack, as operators, merchants and a provider would; seven
 * operations a round.
 */
export async function setUpBusyGateway(stack: StackAddress, rounds = 3): Promise<BusyGateway> {
  const { url, close } = await openServer((incoming, outgoing) =>
    incoming.resume().on('end', () => outgoing.writeHead(204).end()),
  );
  const admin = adminOf(stack);
  const bookshop = await openShop(admin, 'Northwind', 'Books', `${url}/webhooks`);
  const games = await openShop(admin, 'Кедр', 'Игры', 'http://127.0.0.1:1/webhooks');
  const create = createsOf(stack);

  let partial = '';
  for (let index = 0; index < rounds; index += 1) {
    const seller = index % 3 === 1 ? games : bookshop;
    partial = await trade(stack, { create, seller, index });
  }
  const flagged: string[] = [];
  for (const [at, result] of reviews.entries())
    flagged.push(
      await sendReceipt(stack, { create, seller: bookshop, amount: amounts[at] ?? '1.00', result }),
    );
  await admin('POST', '/tokens', { name: 'anna', role: 'auditor', expires_in_s: 30 * 86_400 });
  const read = async () => {
    const { operations } = await admin<{ operations: object[] }>(
      'GET',
      '/operations?status=manual_check',
    );
    const { entries } = await admin<{ entries: object[] }>('GET', '/suspense');
    return operations.length === flagged.length && entries.length === Math.min(rounds, 50);
  };
  await eventually('the read models have caught up', read);
  return {
    shopId: bookshop.shopId,
    deafShopId: games.shopId,
    partial,
    flagged,
    key: bookshop.key,
    pay: () => create(bookshop, 'payment', { method: 'WT_RUB_C2C', amount: '4321.00' }),
    admin,
    close,
  };
}

/** The admin API with an admin's token. @throws for a rejected request */
type Admin = <Answer = Record<string, unknown>>(
  method: string,
  path: string,
  body?: object,
) => Promise<Answer>;
type Seller = { shopId: string; key: Record<string, string> };
type Create = (seller: Seller, kind: 'payment' | 'payout', more: object) => Promise<string>;

export function adminOf(stack: StackAddress): Admin {
  return async <Answer = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> => {
    const url = `${stack.urls.admin}/admin/v1${path}`;
    const headers = { authorization: `Bearer ${stack.adminToken}` };
    const { status, body: answer } = await request(url, method, body, headers);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer as Answer;
  };
}

/** A shop of a new merchant, with a positive balance. */
async function openShop(
  admin: Admin,
  merchant: string,
  name: string,
  url: string,
): Promise<Seller> {
  const { merchant_id } = await admin<Body>('POST', '/merchants', { name: merchant });
  const limits = { overdraft_limits: { RUB: '5000.00' } };
  const { shop_id = '' } = await admin<Body>('POST', '/shops', { merchant_id, name, ...limits });
  await admin('PUT', `/shops/${shop_id}/routes`, { routes });
  await admin('PUT', `/shops/${shop_id}/webhook`, { url });
  const { api_key = '' } = await admin<Body>('POST', `/shops/${shop_id}/api-keys`, {
    label: 'server 1',
  });
  await admin('POST', `/shops/${shop_id}/adjustments`, {
    adjustment_id: 'opening',
    currency: 'RUB',
    amount: '25000.00',
    reason: 'Opening top-up',
  });
  return { shopId: shop_id, key: { 'x-api-key': api_key } };
}

/** Creates operations with consecutive merchant operation IDs. @returns their IDs */
function createsOf(stack: StackAddress): Create {
  let count = 0;
  return async ({ key }, kind, more) => {
    count += 1;
    const body = {
      merchant_operation_id: `order-${1000 + count}`,
      client_id: `client-${count % 7}`,
      currency: 'RUB',
      ...more,
    };
    const answer = await request(`${stack.urls.gateway}/v1/${kind}`, 'POST', body, key);
    return String((answer.body as Body)['operation_id']);
  };
}

/** Creates a round of operations. @returns the ID of the partially completed one */
async function trade(
  stack: StackAddress,
  { create, seller, index }: { create: Create; seller: Seller; index: number },
): Promise<string> {
  const method = 'WT_RUB_C2C';
  let partial = '';
  for (const [at, result] of results.entries()) {
    const amount = amounts[(at + index) % amounts.length];
    const id = await create(seller, 'payment', { method, amount });
    await commandSandbox(stack.urls.sandbox, id, 'settle', { result });
    if (result === 'partial') partial = id;
    if (result === 'expired')
      await commandSandbox(stack.urls.sandbox, id, 'late-money', { amount: '150.00' });
  }
  const open = await create(seller, 'payment', { method, amount: '820.00' });
  if (index === 0)
    await request(
      `${stack.urls.gateway}/v1/cancel_operation`,
      'POST',
      { operation_id: open },
      seller.key,
    );
  await create(seller, 'payout', { method, amount: '2000.00', number: '2200 1234 5678 9010' });
  return partial;
}

const reviews = [
  'not_terminal',
  'potential_fake',
  'picture',
  'potential_fake',
  'not_terminal',
] as const;

/** Creates a payment whose receipt awaits a decision. @returns its ID */
async function sendReceipt(
  stack: StackAddress,
  options: { create: Create; seller: Seller; amount: string; result: (typeof reviews)[number] },
): Promise<string> {
  const { create, seller, amount, result } = options;
  const id = await create(seller, 'payment', { method: 'WT_RUB_PHONE', amount });
  const content = result === 'picture' ? receiptPicture() : receiptPdf(amount);
  await upload(stack, { id, key: seller.key, content });
  if (result !== 'picture') await commandSandbox(stack.urls.sandbox, id, 'review', { result });
  return id;
}

async function upload(
  { urls }: StackAddress,
  {
    id,
    key,
    content,
  }: { id: string; key: Record<string, string>; content: string | Buffer<ArrayBuffer> },
): Promise<void> {
  const form = new FormData();
  form.set('operation_id', id);
  form.set('confirmation_type', 'receipt');
  form.set('receipt', new File([content], 'receipt.pdf', { type: 'application/pdf' }));
  await fetch(`${urls.gateway}/v1/confirm_payment`, { method: 'POST', body: form, headers: key });
}

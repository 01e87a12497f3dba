import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from '#infra/verify/harness/merchant.ts';
import type { TestStack } from '#infra/verify/harness/test-stack.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { receiptPdf } from './receipt-pdf.ts';
import { receiptPicture } from './receipt-picture.ts';

type Body = Readonly<Record<string, string>>;

/**
 * What a day at a gateway leaves behind: two shops, operations in every state, and what waits for a
 * person.
 */
export type BusyGateway = {
  shopId: string;
  /** Of the shop whose webhooks nobody takes. */
  deafShopId: string;
  /** A payment that ended with part of its money. */
  partial: string;
  /** Payments whose receipt waits for a person: unreadable, maybe forged, a picture, two more. */
  flagged: readonly string[];
  /** One more payment; its id. */
  pay(): Promise<string>;
  admin<Answer = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer>;
  close(): Promise<void>;
};

const route = (change: object) => ({
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  priority: 2,
  commission: { percent: '2.50' },
  ...change,
});

const routes = [
  route({ priority: 1, min_amount: '5000.00', options: { accept: 'decline' } }),
  route({}),
  route({ method: 'WT_RUB_PHONE', requires_receipt: true, commission: { percent: '3.00', fixed: '1.00' } }),
  route({ type: 'payout', commission: { percent: '1.00' } }),
];

const amounts = ['1490.00', '12500.50', '999.99', '7200.00', '349.00'] as const;
const results = ['completed', 'completed', 'partial', 'declined', 'expired'] as const;

/**
 * Sets it up on a stack that runs, as operators, merchants and a provider would; seven operations a
 * round.
 */
export async function setUpBusyGateway(stack: TestStack, rounds = 3): Promise<BusyGateway> {
  const endpoint = createServer((incoming, outgoing) =>
    incoming.resume().on('end', () => outgoing.writeHead(204).end()),
  );
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  const headers = { authorization: `Bearer ${stack.adminToken}` };
  const admin = async <Answer = Body>(method: string, path: string, body?: object): Promise<Answer> => {
    const { status, body: answer } = await request(
      `${stack.urls.admin}/admin/v1${path}`,
      method,
      body,
      headers,
    );
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer as Answer;
  };
  const control = async (id: string, command: string, body: object) =>
    request(`${stack.urls.sandbox}/control/operations/${id}/${command}`, 'POST', body);

  const shop = async (merchant: string, name: string, url: string) => {
    const { merchant_id } = await admin('POST', '/merchants', { name: merchant });
    const limits = { overdraft_limits: { RUB: '5000.00' } };
    const { shop_id = '' } = await admin('POST', '/shops', { merchant_id, name, ...limits });
    await admin('PUT', `/shops/${shop_id}/routes`, { routes });
    await admin('PUT', `/shops/${shop_id}/webhook`, { url });
    const { api_key = '' } = await admin('POST', `/shops/${shop_id}/api-keys`, { label: 'server 1' });
    const adjustment = {
      adjustment_id: 'opening',
      currency: 'RUB',
      amount: '25000.00',
      reason: 'Opening top-up',
    };
    await admin('POST', `/shops/${shop_id}/adjustments`, adjustment);
    return { shopId: shop_id, key: { 'x-api-key': api_key } };
  };
  const books = await shop('Northwind', 'Books', `http://127.0.0.1:${port}/webhooks`);
  const games = await shop('Кедр', 'Игры', 'http://127.0.0.1:1/webhooks');

  let count = 0;
  const create = async ({ key }: typeof books, kind: 'payment' | 'payout', more: object): Promise<string> => {
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
  let partial = '';
  for (let index = 0; index < rounds; index += 1) {
    const seller = index % 3 === 1 ? games : books;
    for (const [at, result] of results.entries()) {
      const amount = amounts[(at + index) % amounts.length];
      const id = await create(seller, 'payment', { method: 'WT_RUB_C2C', amount });
      await control(id, 'settle', { result });
      if (result === 'partial') partial = id;
      if (result === 'expired') await control(id, 'late-money', { amount: '150.00' });
    }
    const open = await create(seller, 'payment', { method: 'WT_RUB_C2C', amount: '820.00' });
    if (index === 0)
      await request(`${stack.urls.gateway}/v1/cancel_operation`, 'POST', { operation_id: open }, seller.key);
    await create(seller, 'payout', {
      method: 'WT_RUB_C2C',
      amount: '2000.00',
      number: '2200 1234 5678 9010',
    });
  }
  const flagged: string[] = [];
  for (const [at, result] of [
    'not_terminal',
    'potential_fake',
    'picture',
    'potential_fake',
    'not_terminal',
  ].entries()) {
    const amount = amounts[at] ?? '1.00';
    const id = await create(books, 'payment', { method: 'WT_RUB_PHONE', amount });
    await upload(stack, {
      id,
      key: books.key,
      content: result === 'picture' ? receiptPicture() : receiptPdf(amount),
    });
    if (result !== 'picture') await control(id, 'review', { result });
    flagged.push(id);
  }
  await admin('POST', '/tokens', { name: 'anna', role: 'auditor', expires_in_s: 30 * 86_400 });
  const read = async () => {
    const { operations } = await admin<{ operations: object[] }>('GET', '/operations?status=manual_check');
    const { entries } = await admin<{ entries: object[] }>('GET', '/suspense');
    return operations.length === flagged.length && entries.length === Math.min(rounds, 50);
  };
  await waitUntil('the read models show what waits', read, { timeoutMs: 30_000 });
  return {
    shopId: books.shopId,
    deafShopId: games.shopId,
    partial,
    flagged,
    pay: () => create(books, 'payment', { method: 'WT_RUB_C2C', amount: '4321.00' }),
    admin,
    close: async () => {
      endpoint.closeAllConnections();
      await new Promise((resolve) => endpoint.close(resolve));
    },
  };
}

async function upload(
  { urls }: TestStack,
  { id, key, content }: { id: string; key: Record<string, string>; content: string | Buffer<ArrayBuffer> },
): Promise<void> {
  const form = new FormData();
  form.set('operation_id', id);
  form.set('confirmation_type', 'receipt');
  form.set('receipt', new File([content], 'receipt.pdf', { type: 'application/pdf' }));
  await fetch(`${urls.gateway}/v1/confirm_payment`, { method: 'POST', body: form, headers: key });
}

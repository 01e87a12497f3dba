import type { LoadRequest } from '../http-client.ts';
import { makeForm } from '#infra/verify/harness/shops/form.ts';
import { createRandom, type Random } from '#infra/verify/harness/tests/random.ts';
import type { LoadShop } from './messages.ts';

/** Known to a shop already, most of the time. */
const clientsOfShop = 5_000;
/** A receipt as banks' apps make them. */
const receiptBytes = 24 * 1024;
const filler = fillerText();

const json = (path: string, shop: LoadShop, body: object): LoadRequest => ({
  method: 'POST',
  path: `/v1/${path}`,
  headers: { 'x-api-key': shop.apiKey },
  body: JSON.stringify(body),
});

type NewOperation = { readonly shop: LoadShop; readonly key: string; readonly random: Random };

/** A payment that completes by itself, or waits for a receipt. */
export function paymentRequest(
  { shop, key, random }: NewOperation,
  withReceipt: boolean,
): LoadRequest {
  return json('payment', shop, {
    merchant_operation_id: key,
    client_id: `client-${random.below(clientsOfShop)}`,
    method: withReceipt ? 'WT_RUB_PHONE' : 'WT_RUB_C2C',
    amount: amount(random, { least: 300, most: 9_000 }),
    currency: 'RUB',
  });
}

export function payoutRequest({ shop, key, random }: NewOperation): LoadRequest {
  return json('payout', shop, {
    merchant_operation_id: key,
    client_id: `client-${random.below(clientsOfShop)}`,
    method: 'WT_RUB_C2C',
    amount: amount(random, { least: 100, most: 3_000 }),
    currency: 'RUB',
    number: '2200123456789010',
  });
}

export const readRequest = (shop: LoadShop, reference: object): LoadRequest =>
  json('get_operation_state', shop, reference);

export const cancelRequest = (shop: LoadShop, operationId: string): LoadRequest =>
  json('cancel_operation', shop, { operation_id: operationId });

export const balancesRequest = ({ apiKey }: LoadShop): LoadRequest => ({
  method: 'GET',
  path: '/v1/balances',
  headers: { 'x-api-key': apiKey },
});

/** A receipt for a payment: a unique PDF of 24 KiB. */
export function confirmRequest(shop: LoadShop, operationId: string): LoadRequest {
  const pdf = Buffer.from(`%PDF-1.4\n% ${operationId}\n${filler}\n%%EOF\n`);
  const fields = { operation_id: operationId, confirmation_type: 'receipt' };
  const { type, valid } = makeForm(fields, pdf);
  return {
    method: 'POST',
    path: '/v1/confirm_payment',
    headers: { 'x-api-key': shop.apiKey, 'content-type': type },
    body: valid,
  };
}

/** Whole roubles and kopecks, as text. */
function amount(random: Random, { least, most }: { least: number; most: number }): string {
  const kopecks = String(random.below(100)).padStart(2, '0');
  return `${least + random.below(most - least)}.${kopecks}`;
}

/** Incompressible bytes. */
function fillerText(): string {
  const random = createRandom(24);
  const digits = Array.from({ length: receiptBytes / 8 }, () =>
    random.below(0xffff_ffff).toString(16).padStart(8, '0'),
  );
  return digits.join('');
}

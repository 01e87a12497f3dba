import { newId } from '#shared/platform/ids.ts';
import type { createMerchantApi } from '../app.ts';

// Tests check the content of responses themselves.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;
type Answer = { status: number; headers: Headers; text: string; body: Json };
export type Api = ReturnType<typeof createMerchantApi>;

/** Sends requests to an API in this process; a body that is not a form is sent as JSON. */
export async function fetchFrom(on: Api, path: string, init: RequestInit): Promise<Answer> {
  const headers = new Headers(init.headers);
  const form = init.body instanceof FormData;
  if (!form && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const response = await on.request(path, { ...init, headers });
  const text = await response.text();
  const body = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, body };
}

export const payment = (change: object = {}) => ({
  merchant_operation_id: newId(),
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
  ...change,
});

export const payout = (change: object = {}) =>
  payment({ number: '2200 1234 5678 9010', ...change });

type Change = (change: object) => Promise<Answer>;

/** The requests that a shop's server makes with its key. */
type Client = {
  shopId: string;
  keyId: string;
  fetch(path: string, init: RequestInit): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  confirm(body: FormData): Promise<Answer>;
  pay: Change;
  payOut: Change;
  cancel: Change;
  state: Change;
  /** The same client on another instance. */
  on(other: Api): Client;
};

export function clientOf(
  on: Api,
  shopId: string,
  { apiKey, keyId }: { apiKey: string; keyId: string },
): Client {
  const fetch = (path: string, init: RequestInit) =>
    fetchFrom(on, path, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), 'x-api-key': apiKey },
    });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(path, { method: 'POST', body: JSON.stringify(body), headers });
  const confirm = (body: FormData) =>
    fetchFrom(on, '/v1/confirm_payment', {
      method: 'POST',
      body,
      headers: { 'x-api-key': apiKey },
    });
  return {
    shopId,
    keyId,
    fetch,
    post,
    confirm,
    pay: (change: object) => post('/v1/payment', payment(change)),
    payOut: (change: object) => post('/v1/payout', payout(change)),
    cancel: (body: object) => post('/v1/cancel_operation', body),
    state: (reference: object) => post('/v1/get_operation_state', reference),
    on: (other) => clientOf(other, shopId, { apiKey, keyId }),
  };
}

import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { newApiKey } from '#shared/application/credentials.ts';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';

/** Secrets and personal data that no log line, error, metric or trace may hold, by kind. */
export const planted = {
  'a card number': '2200700112345678',
  'a card number, spaced': '2200 7001 1234 5678',
  'a phone number': '+79161112233',
  'a name': 'Zylberquist Plantagenet',
  'an e-mail address': 'zylberquist@planted.example',
  'a receipt’s content': 'PLANTED-RECEIPT-CONTENT',
  'a receipt’s file name': 'zylberquist-receipt.pdf',
  'an API key that is none': newApiKey(),
  'an admin token that is none': 'adm_PLANTEDPLANTEDPLANTED0123456789',
  'a webhook’s own token': 'PLANTED-HOOK-TOKEN',
  'a password': 'PLANTED-PASSWORD-1',
} as const;

type Plants = Record<string, string>;

/** The planted values in a text, in any escaping. */
export function found(text: string, plants: Readonly<Plants>): string[] {
  const plain = decoded(text);
  return Object.entries(plants).flatMap(([what, value]) =>
    text.includes(value) || plain.includes(value) ? [what] : [],
  );
}

function decoded(text: string): string {
  const unescaped = text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return unescaped.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export type Listener = { url: string; taken: string[]; close(): Promise<void> };

/** A server on loopback that records requests, and answers as set. */
export async function listenFor(
  answer: (
    request: IncomingMessage,
    body: string,
  ) => Promise<{ status: number; type?: string; body?: string }>,
): Promise<Listener> {
  const taken: string[] = [];
  const server = await openServer((incoming, outgoing) => {
    const respond = async () => {
      const body = Buffer.concat((await incoming.toArray()) as Buffer[]).toString('utf8');
      taken.push(body);
      const { status, type = 'application/json', body: text = '' } = await answer(incoming, body);
      outgoing.writeHead(status, { 'content-type': type }).end(text);
    };
    respond().catch(() => outgoing.destroy());
  });
  return { ...server, taken };
}

/** Marks in a `client_id` for which the provider echoes the request. */
const echoes = ['echo-500', 'echo-text', 'echo-json'] as const;

/** A proxy before the sandbox provider: forwards requests, except marked ones. */
export async function echoingProvider(sandboxPort: number): Promise<Listener> {
  return listenFor(async ({ method = 'GET', url = '/', headers }, body) => {
    const echo = JSON.stringify({ headers, body, error: body });
    if (body.includes('echo-500')) return { status: 500, type: 'text/html', body: echo };
    if (body.includes('echo-text')) return { status: 200, type: 'text/plain', body: echo };
    if (body.includes('echo-json'))
      return { status: 200, body: JSON.stringify({ ...JSON.parse(body), key: body }) };
    const passed = { ...headers } as Record<string, string>;
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding'])
      delete passed[name];
    const target = `http://127.0.0.1:${sandboxPort}${url}`;
    const answer = await fetch(target, { method, headers: passed, ...(body !== '' && { body }) });
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? 'text/plain',
      body: await answer.text(),
    };
  });
}

export type Way = {
  to: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | FormData;
};

type Urls = Readonly<Record<'gateway' | 'admin' | 'pay' | 'sandbox' | 'processor', string>>;
type Doors = {
  urls: Urls;
  merchant: Record<string, string>;
  admin: Record<string, string>;
  shopId: string;
};

/** Every entry point for the planted values; `key` and `token` grant access. */
export function waysIn(
  urls: Urls,
  {
    key,
    token,
    awaiting,
    shopId,
  }: { key: string; token: string; awaiting: string; shopId: string },
): Way[] {
  const merchant = { 'x-api-key': key };
  const doors: Doors = { urls, merchant, admin: { authorization: `Bearer ${token}` }, shopId };
  const secretIds = [key, planted['an API key that is none']].map((id): Way => ({
    to: `${urls.gateway}/v1/methods`,
    headers: { ...merchant, 'x-request-id': id },
  }));
  return [
    ...['plain', ...echoes].flatMap((mark) => creates(doors, mark)),
    ...Object.values(planted).flatMap((value) => [
      ...inBodies(doors, value),
      ...inPlaces(doors, value),
    ]),
    ...secretIds,
    {
      to: `${urls.gateway}/v1/confirm_payment`,
      method: 'POST',
      headers: merchant,
      body: plantedReceipt(awaiting),
    },
  ];
}

const operation = {
  client_id: planted['an e-mail address'],
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
};

export const jsonPlant = (
  to: string,
  body: unknown,
  headers: Record<string, string>,
  method = 'POST',
): Way => ({
  to,
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Valid creates. */
function creates({ urls, merchant }: Doors, mark: string): Way[] {
  const { 'a name': name, 'an e-mail address': mail } = planted;
  return [
    jsonPlant(
      `${urls.gateway}/v1/payment`,
      {
        ...operation,
        merchant_operation_id: `leak-${mark}`,
        client_id: `${mark} ${mail} ${name}`,
        name,
        client_ip: '192.0.2.77',
      },
      merchant,
    ),
    jsonPlant(
      `${urls.gateway}/v1/payout`,
      {
        ...operation,
        merchant_operation_id: `leak-out-${mark}`,
        client_id: `${mark} ${mail}`,
        number: planted['a card number, spaced'],
        name,
      },
      merchant,
    ),
  ];
}

/** In an unexpected field of a request's body. */
function inBodies({ urls, merchant, admin, shopId }: Doors, value: string): Way[] {
  return [
    jsonPlant(
      `${urls.gateway}/v1/payment`,
      {
        ...operation,
        merchant_operation_id: [value],
        amount: value,
        name: { value },
        bankname: value,
      },
      merchant,
    ),
    jsonPlant(`${urls.gateway}/v1/payout`, `{"number":"${value}"`, merchant),
    jsonPlant(
      `${urls.gateway}/v1/cancel_operation`,
      { merchant_operation_id: value, reason: value },
      merchant,
    ),
    jsonPlant(`${urls.admin}/admin/v1/merchants`, { name: [value] }, admin),
    jsonPlant(
      `${urls.admin}/admin/v1/shops/${shopId}/adjustments`,
      { adjustment_id: value, currency: 'RUB', amount: '0.01', reason: value },
      admin,
    ),
    jsonPlant(
      `${urls.processor}/callbacks/sandbox`,
      { value },
      { 'webhook-id': value, 'webhook-signature': `v1,${value}`, 'webhook-timestamp': '1' },
    ),
    jsonPlant(
      `${urls.sandbox}/v1/attempts/${encodeURIComponent(value)}`,
      { client_id: value, amount: value },
      { authorization: `Bearer ${value}` },
      'PUT',
    ),
  ];
}

/** In addresses, headers, cookies and forms. */
function inPlaces({ urls, merchant }: Doors, value: string): Way[] {
  return [
    { to: `${urls.gateway}/v1/balances?api_key=${encodeURIComponent(value)}`, headers: merchant },
    {
      to: `${urls.gateway}/v1/${encodeURIComponent(value)}`,
      headers: { ...merchant, cookie: value, referer: value },
    },
    {
      to: `${urls.gateway}/receipts/${encodeURIComponent(value)}/x?signature=${encodeURIComponent(value)}`,
    },
    { to: `${urls.pay}/${encodeURIComponent(value)}?name=${encodeURIComponent(value)}` },
    {
      to: `${urls.admin}/operations?q=${encodeURIComponent(value)}`,
      headers: { cookie: `console_session=${value}` },
    },
    { to: `${urls.gateway}/v1/methods`, headers: { 'x-api-key': value } },
    { to: `${urls.admin}/admin/v1/shops`, headers: { authorization: `Bearer ${value}` } },
    ...(/^[\w.-]{1,64}$/.test(value)
      ? [{ to: `${urls.gateway}/v1/methods`, headers: { ...merchant, 'x-trace': value } }]
      : []),
    {
      to: `${urls.admin}/sign-in`,
      method: 'POST',
      headers: {
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token: value }).toString(),
    },
  ];
}

function plantedReceipt(operationId: string): FormData {
  const { 'a card number': card, 'a phone number': phone } = planted;
  const receipt = new FormData();
  receipt.append('operation_id', operationId);
  receipt.append('confirmation_type', 'receipt');
  receipt.append(
    'receipt',
    new Blob([`%PDF-1.4 ${planted['a receipt’s content']} ${card} ${phone}`]),
    planted['a receipt’s file name'],
  );
  return receipt;
}

type PlantAnswer = { to: string; status: number; text: string; headers: string };

/** Tries every entry point. @returns the answers */
export async function plant(ways: readonly Way[]): Promise<PlantAnswer[]> {
  const answers: PlantAnswer[] = [];
  for (const { to, method = 'GET', headers = {}, body } of ways) {
    // Header values are bytes, so other characters can't be sent this way.
    const sound = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replaceAll(/[^\x20-\x7e]/g, '?'),
      ]),
    );
    const answer = await fetch(to, {
      method,
      headers: sound,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    answers.push({ to, status: answer.status, text, headers: JSON.stringify([...answer.headers]) });
  }
  // Waits for logs, metrics and traces that follow an answer.
  await delay(1_500);
  return answers;
}

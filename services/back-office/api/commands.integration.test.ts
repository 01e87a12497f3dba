import { beforeAll, expect, test } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import {
  acceptance,
  cancelled,
  givenPayment,
  paymentRoute,
} from '#services/processor/testing/operations.ts';
import { recordReturn } from '#services/processor/testing/record-late.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import { sandboxCredentials } from '#shared/application/providers/sandbox/credentials.ts';
import { rolesByRoute } from './roles.ts';
import { startConsole } from '../console/testing/console.ts';

// Its own log: the tests read the whole log, as the audit does.
const sandbox = sandboxForFile();
const providers = forFile(() =>
  createProviders({ ...sandbox.config, BANK_ARRIVAL_MS: 1_000, BANK_CLOCK_SKEW_MS: 1_000 }, logger),
);
const admin = forFile(() => {
  // Only the bank's: no provider is polled about operations, which are all the sandbox's.
  const connectors = new Map([...providers.providers].filter(([name]) => name === 'bank'));
  return startConsole({ accounts: providers.accounts, connectors });
});
let token: string;
let tokenId: string;
beforeAll(async () => {
  // Two tokens of one name: the commands of one must not be attributed to the other.
  await admin.issueToken('Ольга', 'admin');
  ({ token, token_id: tokenId } = await admin.issueToken('Ольга', 'admin'));
});

type Texts = Record<string, string>;
type Command = { path?: Texts; body?: object | string; headers?: Texts };

const newShop = () => admin.newShop();
const withWebhook = async (more: Command = {}): Promise<Command> => ({
  path: { shop_id: await admin.newShopWithWebhook() },
  ...more,
});
const withMember = async () => {
  const shopId = await newShop();
  const body = { name: 'Anna', role: 'viewer' };
  const added = await admin.call(`POST /admin/v1/shops/${shopId}/members`, { body });
  return { shop_id: shopId, member_id: String(added.body['member_id']) };
};
const ofShop = async (body?: object): Promise<Command> => ({
  path: { shop_id: await newShop() },
  ...(body && { body }),
});
const underReview: OperationEvent[] = [
  { type: 'ReceiptUploaded', data: { receipt_id: 'r', sha256: 'aa', size_bytes: 1, pdf: true } },
  { type: 'ManualCheckStarted', data: { receipt_id: 'r' } },
];

/** Records returned money of a cancelled operation, and waits until it is listed. */
async function returnedMoney(): Promise<string> {
  const shopId = newId();
  const ended = { shopId, answers: [acceptance()], after: [cancelled] };
  const operationId = await givenPayment(admin.store, ended);
  await recordReturn(admin.store, { operationId, shopId, kind: 'returned' });
  type Listed = { entries: { entry_id: string }[] };
  const entries = async () =>
    (await admin.call<Listed>(`GET /admin/v1/suspense?shop_id=${shopId}`)).body.entries;
  await expect.poll(entries).toHaveLength(1);
  return (await entries())[0]?.entry_id ?? '';
}

const reason = { reason: 'r' };
const switched = (): Promise<Command> =>
  Promise.resolve({ path: { provider: 'sandbox' }, body: reason });

const credentials = sandboxCredentials.example;
const accountWith = (body: object): Command => ({ path: { provider: 'sandbox' }, body });
async function withAccount(account: string, body: object): Promise<Command> {
  const added = await admin.call('POST /admin/v1/providers/sandbox/accounts', {
    body: { account, label: 'L', credentials },
  });
  expect(added.status).toBe(201);
  return { path: { provider: 'sandbox', account }, body };
}
async function withAccountOff(account: string): Promise<Command> {
  const command = await withAccount(account, reason);
  const path = `/admin/v1/providers/sandbox/accounts/${account}`;
  await admin.call(`POST ${path}/switch-off`, { body: reason });
  return command;
}

const inRubles = { account: 'default', currency: 'RUB' };

/** The request of each command in the table of roles. */
const commands: Record<string, () => Promise<Command>> = {
  'POST /admin/v1/merchants': () => Promise.resolve({ body: { name: 'M' } }),
  'POST /admin/v1/shops': async () => ({
    body: { merchant_id: await admin.newMerchant('M'), name: 'S' },
  }),
  'PATCH /admin/v1/shops/:shop_id': () => ofShop({ name: 'Other' }),
  'POST /admin/v1/shops/:shop_id/api-keys': () => ofShop({ label: 'till' }),
  'DELETE /admin/v1/api-keys/:key_id': async () => {
    const path = `POST /admin/v1/shops/${await newShop()}/api-keys`;
    const { body } = await admin.call(path, { body: { label: 'till' } });
    return { path: { key_id: String(body['key_id']) } };
  },
  'PUT /admin/v1/shops/:shop_id/routes': () => ofShop({ routes: [paymentRoute] }),
  'POST /admin/v1/providers/:provider/switch-off': () => switched(),
  'POST /admin/v1/providers/:provider/switch-on': async () => {
    await admin.call('POST /admin/v1/providers/sandbox/switch-off', { body: reason });
    return switched();
  },
  'POST /admin/v1/providers/:provider/accounts': () =>
    Promise.resolve(accountWith({ account: 'new', label: 'L', credentials })),
  'POST /admin/v1/providers/:provider/accounts/:account/credentials': async () => {
    const body = { credentials: { ...credentials, api_key: 'another-key-of-the-account' } };
    return withAccount('replaced', body);
  },
  'PATCH /admin/v1/providers/:provider/accounts/:account': () =>
    withAccount('renamed', { label: 'Other' }),
  'POST /admin/v1/providers/:provider/accounts/:account/switch-off': () =>
    withAccount('off', reason),
  'POST /admin/v1/providers/:provider/accounts/:account/switch-on': () => withAccountOff('on'),
  'POST /admin/v1/providers/:provider/accounts/:account/remove': () => withAccountOff('gone'),
  'POST /admin/v1/shops/:shop_id/adjustments': () =>
    ofShop({ adjustment_id: 'a', currency: 'RUB', amount: '1.00', reason: 'r' }),
  'POST /admin/v1/shops/:shop_id/erasures': async () => {
    const shopId = await newShop();
    await givenPayment(admin.store, { shopId, answers: [acceptance()], after: [cancelled] });
    const listed = () =>
      admin.call<{ operations: unknown[] }>(`GET /admin/v1/operations?shop_id=${shopId}`);
    // An erasure is rejected until the terminal status is listed.
    const ended = [expect.objectContaining({ status: 'cancelled' })];
    await expect.poll(async () => (await listed()).body.operations).toEqual(ended);
    return { path: { shop_id: shopId }, body: { client_id: 'c' } };
  },
  'PUT /admin/v1/shops/:shop_id/webhook': () => ofShop({ url: 'http://127.0.0.1:9/' }),
  'POST /admin/v1/shops/:shop_id/webhook/rotate-secret': () => withWebhook(),
  'POST /admin/v1/shops/:shop_id/webhook/ping': () => withWebhook(),
  'POST /admin/v1/shops/:shop_id/webhook-messages/redeliver': () => withWebhook({ body: {} }),
  'POST /admin/v1/webhook-messages/:message_id/redeliver': async () => ({
    path: { message_id: await ping(admin.db, { shopId: await admin.newShopWithWebhook() }) },
  }),
  'POST /admin/v1/operations/:operation_id/review': async () => {
    const payment = { answers: [acceptance()], after: underReview };
    return {
      path: { operation_id: await givenPayment(admin.store, payment) },
      body: { decision: 'approve', actual_amount: '100.00', note: 'seen' },
    };
  },
  'POST /admin/v1/operations/:operation_id/close': async () => {
    const payment = { answers: [acceptance()], acceptInMs: -1 };
    const path = { operation_id: await givenPayment(admin.store, payment) };
    return { path, body: { note: 'no answer' } };
  },
  'POST /admin/v1/suspense/:entry_id/resolve': async () => ({
    path: { entry_id: await returnedMoney() },
    body: { resolution: 'return', note: 'sent back' },
  }),
  'POST /admin/v1/statements/:provider/:account/:currency/:day/import': () =>
    Promise.resolve(ofStatement(1)),
  'POST /admin/v1/statements/:provider/:account/:currency/:day/fetch': () =>
    Promise.resolve({ path: { ...inRubles, provider: 'sandbox', day: '2026-01-01' } }),
  'POST /admin/v1/missing-statements/:provider/:account/:currency/fetch': () =>
    Promise.resolve({ path: { ...inRubles, provider: 'bank' } }),
  'POST /admin/v1/statements/:provider/:account/:currency/:day/close-finding': withFinding,
  'POST /admin/v1/shops/:shop_id/members': () => ofShop({ name: 'Anna', role: 'viewer' }),
  'POST /admin/v1/shops/:shop_id/members/:member_id/sign-in-links': async () => ({
    path: await withMember(),
  }),
  'DELETE /admin/v1/shops/:shop_id/members/:member_id': async () => ({ path: await withMember() }),
  'POST /admin/v1/tokens': () => Promise.resolve({ body: { name: 'next', role: 'auditor' } }),
  'DELETE /admin/v1/tokens/:token_id': async () => {
    const { token_id } = await admin.issueToken('leaver', 'auditor');
    return { path: { token_id } };
  },
};

/** The import of a file with one fee on that day of January. */
function ofStatement(day: number) {
  const date = `2026-01-0${day}`;
  const body = `kind,direction,leg_id,amount,currency,completed_at\nfee,out,f${day},3.00,RUB,${date}T11:00:00.000Z`;
  const path = { ...inRubles, provider: 'bank', day: date };
  return { path, body, headers: { 'content-type': 'text/csv' } };
}

/** Imports a statement with a fee, and waits until its finding is listed. */
async function withFinding(): Promise<Command> {
  const { path, body, headers } = ofStatement(2);
  const of = `/admin/v1/statements/bank/default/RUB/${path.day}`;
  expect((await admin.call(`POST ${of}/import`, { body, headers })).status).toBe(200);
  const read = async () => (await admin.call(`GET ${of}`)).body['findings_open'];
  await expect.poll(read).toBe(1);
  return { path, body: { finding_id: 'fee:f2', decision: 'explained', note: 'the tariff' } };
}

async function readLog(): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  const stop = new AbortController();
  for await (const batch of admin.store.subscribe({ signal: stop.signal })) {
    // The store's own events have no actor.
    for (const item of batch) {
      if (item.kind === 'event' && !item.event.stream.startsWith('$')) events.push(item.event);
    }
    if (batch.some(({ kind }) => kind === 'caught_up')) break;
  }
  stop.abort();
  return events;
}

test('covers every command of the table of roles', () => {
  const expected = Object.keys(rolesByRoute).filter((route) => !route.startsWith('GET '));
  expect(Object.keys(commands).toSorted()).toEqual(expected.toSorted());
});

test.each(Object.keys(commands))(
  '%s records an event with its operator and token (R16.4)',
  async (route) => {
    const { path = {}, body, headers } = (await commands[route]?.()) ?? {};
    const requestId = `command-${newId()}`;
    const request = route.replaceAll(/:(\w+)/g, (_match, name: string) => path[name] ?? '');
    const answer = await admin.call(request, {
      token,
      headers: { 'x-request-id': requestId, ...headers },
      ...(body && { body }),
    });
    expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    const events = (await readLog()).filter(({ metadata }) => metadata.request_id === requestId);
    const actors = events.map(({ metadata: { actor, token_id } }) => `${actor} ${token_id ?? ''}`);
    expect(actors).toContain(`operator:Ольга ${tokenId}`);
    // The service is the actor of all other events of the command.
    expect([`operator:Ольга ${tokenId}`, 'service:admin ']).toEqual(expect.arrayContaining(actors));
  },
);

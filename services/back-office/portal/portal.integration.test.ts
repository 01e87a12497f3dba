import { createHash } from 'node:crypto';
import { sql, type Kysely, type KyselyPlugin } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { startSigner } from '#projections/tree-signer/signer.ts';
import { createSigningKey } from '#projections/tree-signer/signing-key.ts';
import { appendHistories } from '#projections/testing/append.ts';
import { verify } from '#projections/testing/verify.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { route as routeOf } from '#shared/domain/operation/testing/create.ts';
import { noMoney } from '#shared/domain/operation/testing/given.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { membersStream } from '#shared/domain/member/events.ts';
import { linksInADay } from '#shared/domain/member/members.ts';
import { maxKeys, noteHealth } from '#shared/domain/shop/decide.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { payoutBatchStream, payoutRunsStream } from '#shared/domain/payout-batch/events.ts';
import { webhookCommandsStream } from '#shared/domain/webhook/events.ts';
import {
  acceptance,
  append,
  cancelled,
  givenPayment,
  givenPayout,
} from '#services/processor/testing/operations.ts';
import { recordLateMoney, recordReturn } from '#services/processor/testing/record-late.ts';
import { lostValues, overlongValues } from '../console/testing/overlong-form.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { problem } from '../testing/admin.ts';
import { hidden, pageWith, type Page, type Visitor } from '../console/testing/visitor.ts';
import { BookedOperations } from '#shared/application/ledger/booked-operations.ts';
import { noteKeyUse } from '#shared/application/directory/key-use.ts';
import { dayIn } from '#shared/application/pages/zone.ts';
import { newId } from '#shared/platform/ids.ts';
import { listActions, listPages } from '../frame/site-map.ts';
import { portalSections } from './pages.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { commandShop, readShop } from '#shared/application/directory/command-shop.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { toStoredRequest } from '#shared/application/operations/create/stored-request.ts';
import { checkBatch } from '#shared/application/payout-batches/batches.ts';
import { removeExpiredFiles } from '#shared/application/payout-batches/waiting-files.ts';
import { readPayoutFile } from '#shared/application/payout-batches/read-file.ts';
import { workbookFile } from '#shared/application/payout-batches/testing/workbook-file.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { createMemberList, type MemberList } from '#shared/application/members/members.ts';
import { createExports, exportLimits } from '#shared/platform/csv/exports.ts';
import {
  linkOf,
  pathOf,
  startPortal,
  type MemberVisitor,
  type TestPortal,
} from './testing/portal.ts';

const acts = listActions(portalSections).map(({ action }) => action);

let portal: TestPortal;
let admin: MemberVisitor;
let viewer: MemberVisitor;
/** The shop whose members sign in, and another one. */
const own = { shopId: '', operationId: '', messageId: '', keyId: '', batchId: '' };
const other = { ...own, memberId: '' };

const payoutRow = (id: string) => `${id},c,WT_RUB_C2C,10.00,RUB,2200 1234 5678 9010,,`;
const payoutFile = (...rows: string[]) =>
  ['merchant_operation_id,client_id,method,amount,currency,number,name,bankname', ...rows].join(
    '\n',
  );

async function checkFile(shopId: string): Promise<string> {
  const file = await readPayoutFile(Buffer.from(payoutFile(payoutRow(`of-${shopId}`))));
  const { store, receiptStore: receipts } = portal;
  const stores = { store, receipts, personal: testPersonalData(store) };
  const origin = { actor: 'service:test', correlationId: 'test' };
  const shop = await readShop(portal.store, shopId);
  return (await checkBatch(stores, { shop, file, origin })).checked.batch_id;
}

const issueKey = (shopId: string, label: string) =>
  portal.call<{ key_id: string }>(`POST /admin/v1/shops/${shopId}/api-keys`, { body: { label } });

async function setUp(into: typeof own): Promise<void> {
  into.shopId = await portal.newShopWithWebhook();
  into.operationId = newId();
  const { shopId, operationId } = into;
  const plain = { client_id: 'c', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' };
  const sealer = await testPersonalData(portal.store).sealer({ shopId, clientId: 'c' });
  const request = sealer.request(operationId, { ...plain, metadata: { 'order.id': '=1+1 & <2>' } });
  await appendHistories(portal.store, [
    paidHistory({ operationId, shopId, merchantOperationId: `order-of-${shopId}`, request }),
  ]);
  const shop = `POST /admin/v1/shops/${shopId}`;
  const adjustment = { adjustment_id: 'a', currency: 'RUB', amount: '50.00' };
  const body = { ...adjustment, reason: 'a secret reason' };
  await portal.call(`${shop}/adjustments`, { body });
  const queued = await portal.call<{ message_id: string }>(`${shop}/webhook/ping`);
  into.messageId = queued.body.message_id;
  into.keyId = (await issueKey(shopId, 'server')).body.key_id;
  into.batchId = await checkFile(shopId);
}

beforeAll(async () => {
  portal = await startPortal();
  await setUp(own);
  await setUp(other);
  await portal.waitForReadModels();
  admin = await portal.member(own.shopId, 'admin');
  viewer = await portal.member(own.shopId, 'viewer');
  other.memberId = (await portal.member(other.shopId, 'admin')).memberId;
});
afterAll(() => portal?.stop());

const newest = async (stream: string) =>
  (await portal.store.read(stream, { direction: 'backwards', maxCount: 1 }))[0];

const formTokenOf = async (visitor: MemberVisitor) =>
  hidden((await visitor.get('/operations')).text, 'form_token');

/** The sign-in link that a page shows once. */
const linkIn = ({ text }: Page) =>
  /http:\/\/portal\.test\/sign-in\?link=([\w.-]+)/.exec(text)?.[1] ?? '';

it('slow forms of a member do not block other members of the merchant', async () => {
  const gate = Promise.withResolvers<void>();
  let started = 0;
  const slow = Array.from({ length: 3 }, () =>
    admin.post('/members/new', {}, {}, () => {
      started += 1;
      return gate.promise;
    }),
  );
  await expect.poll(() => started).toBe(3);
  // A merchant has three slots: a form that takes one while it arrives would block this request.
  expect((await viewer.get('/operations')).status).toBe(200);
  gate.resolve();
  await Promise.all(slow);
});

it('a viewer’s form is refused before it is read (R21.5)', async () => {
  let isRead = false;
  const refused = await viewer.post('/members/new', {}, {}, async () => {
    isRead = true;
  });
  expect([refused.status, isRead]).toEqual([403, false]);
});

describe('sign-in', () => {
  it('accepts a link once; only the recorded event consumes it (R21.1)', async () => {
    const added = await portal.add(own.shopId, 'viewer', 'Once');
    const visitor = portal.visitor();
    const page = await visitor.get(pathOf(added.sign_in_url));
    expect(page).toMatchObject(pageWith(200, 'The link works once'));
    expect(page.text).toMatch(/Shop: <b>[^<]+<\/b>.*Member: <b>Once<\/b>/);
    const link = linkOf(added.sign_in_url);
    const both = await Promise.all(
      [visitor, portal.visitor()].map((each) => each.post('/sign-in', { link, to: '/balances' })),
    );
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([303, 401]));
    expect(await newest(membersStream(own.shopId))).toMatchObject({
      type: 'MemberSignedIn',
      data: { member_id: added.member_id },
      metadata: { actor: `member:${added.member_id}` },
    });
    expect((await visitor.post('/sign-in', { link })).status).toBe(401);
  });

  it('rejects an expired link, and one that was altered for another shop', async () => {
    const { sign_in_url: url } = await portal.add(own.shopId, 'viewer');
    const afterExpiry = portal.instance({ now: () => Date.now() + 61 * 60_000 }).visitor();
    expect((await afterExpiry.post('/sign-in', { link: linkOf(url) })).status).toBe(401);
    const moved = linkOf(url).replace(own.shopId, other.shopId);
    const visitor = portal.visitor();
    expect((await visitor.post('/sign-in', { link: moved })).status).toBe(401);
    expect((await visitor.post('/sign-in', { link: 'x' })).status).toBe(401);
    expect((await visitor.post('/sign-in', { link: linkOf(url) })).status).toBe(303);
  });

  it('is required without a session, and limits the failed attempts of an address', async () => {
    const visitor = portal.instance().visitor();
    const toSignIn = { status: 303, location: '/sign-in?to=%2Fbalances' };
    expect(await visitor.get('/balances')).toMatchObject(toSignIn);
    // Opening an invalid link is not an attempt, because any site can send a visitor there.
    for (let tries = 0; tries < 20; tries += 1)
      expect((await visitor.get('/sign-in?link=x')).status).toBe(401);
    for (let tries = 0; tries < 10; tries += 1)
      expect((await visitor.post('/sign-in', { link: 'x' })).status).toBe(401);
    expect((await visitor.post('/sign-in', { link: 'x' })).status).toBe(429);
    // It is rejected before the log is read, so a valid link stays valid.
    const { sign_in_url: url } = await portal.add(own.shopId, 'viewer');
    expect((await visitor.get(pathOf(url))).status).toBe(429);
    expect((await visitor.post('/sign-in', { link: linkOf(url) })).status).toBe(429);
    const elsewhere = portal.instance().visitor();
    expect((await elsewhere.post('/sign-in', { link: linkOf(url) })).status).toBe(303);
  });

  it('limits an address without a session, or with an invalid cookie (R1.13)', async () => {
    const instance = portal.instance({ anonymousLimit: { per_second: 0.001, burst: 4 } });
    const statusOf = async (path: string, cookie?: string) =>
      (await instance.visitor().get(path, cookie === undefined ? {} : { cookie })).status;
    const visitor = await instance.member(own.shopId, 'viewer');
    const forged = `portal_session=${'a'.repeat(43)}`;
    expect(await statusOf('/operations')).toBe(303);
    expect(await statusOf('/assets/x.css')).toBe(404);
    expect(await statusOf('/', forged)).toBe(303);
    for (const path of ['/sign-in', '/operations', '/nothing'])
      expect([path, await statusOf(path)]).toEqual([path, 429]);
    for (const path of ['/', '/sign-in']) expect(await statusOf(path, forged)).toBe(429);
    expect((await visitor.get('/operations')).status).toBe(200);
    expect(await statusOf('/livez')).toBe(204);
  });

  it('limits the log reads for invalid links, and still accepts a valid one (R16.15)', async () => {
    let reads = 0;
    const members = createMemberList(portal.store);
    const of: MemberList['of'] = (shopId) => {
      reads += 1;
      return members.of(shopId);
    };
    const instance = portal.instance({}, { members: { ...members, of } });
    const visitor = instance.visitor();
    const unknown = `/sign-in?link=${own.shopId}.mbr_${'x'.repeat(40)}`;
    for (let requests = 0; requests < 60; requests += 1)
      expect((await visitor.get(unknown)).status).toBe(401);
    for (let requests = 0; requests < 5; requests += 1)
      expect((await visitor.get(unknown)).status).toBe(429);
    expect(reads).toBe(60);
    await expect(instance.member(own.shopId, 'viewer')).resolves.toBeDefined();
  });

  it('limits the sessions of a shop, without ending those of another', async () => {
    const shopId = await portal.newShop();
    await sql`
      insert into portal.session (session_hash, token, proof, opened_at, seen_at)
      select 'filler-' || n, ${`${shopId}/x`}, ''::bytea, now() - interval '1 minute', now()
      from generate_series(1, 300) n`.execute(portal.db);
    const visitor = await portal.member(shopId, 'viewer');
    const { rows } = await sql<{ token: string }>`
      select token from portal.session where starts_with(token, ${shopId})`.execute(portal.db);
    expect([rows.length, (await visitor.get('/keys')).status]).toEqual([200, 200]);
    expect((await admin.get('/keys')).status).toBe(200);
  });

  it('closes the browser’s previous session', async () => {
    const visitor = await portal.member(own.shopId, 'viewer');
    const before = visitor.cookie();
    const { sign_in_url: url } = await portal.add(other.shopId, 'viewer');
    expect((await visitor.post('/sign-in', { link: linkOf(url) })).status).toBe(303);
    expect(visitor.cookie()).not.toBe(before);
    const previous = await portal.visitor().get('/keys', { cookie: before });
    expect([previous.status, (await visitor.get('/keys')).status]).toEqual([303, 200]);
  });

  it('ends the session on every instance when the member is removed or signs out (R21.3)', async () => {
    const leaver = await portal.member(own.shopId, 'viewer');
    const instance = portal.instance();
    const statusElsewhere = async (cookie: string) =>
      (await instance.visitor().get('/operations', { cookie })).status;
    const session = leaver.cookie();
    expect((await leaver.get('/operations')).status).toBe(200);
    expect(await statusElsewhere(session)).toBe(200);
    const removed = await admin.do(`/members/${leaver.memberId}/remove`);
    expect(removed.text).toContain('The member is removed.');
    expect(await statusElsewhere(session)).toBe(303);
    expect(await leaver.get('/operations')).toMatchObject({ status: 303 });
    const out = await portal.member(own.shopId, 'viewer');
    const form_token = await formTokenOf(out);
    expect((await out.post('/sign-out', { form_token: 'x' })).status).toBe(403);
    const cookie = out.cookie();
    expect(await statusElsewhere(cookie)).toBe(200);
    expect((await out.post('/sign-out', { form_token })).status).toBe(303);
    expect((await out.get('/keys')).status).toBe(303);
    expect(await statusElsewhere(cookie)).toBe(303);
  });

  it('shows and records who issued the link, and ends when the issuer is removed (R21.3)', async () => {
    const issuer = await portal.member(own.shopId, 'admin', 'Mallory');
    const member = await portal.member(own.shopId, 'admin', 'Olga');
    const path = `/members/${member.memberId}/link`;
    const firstLink = linkIn(await issuer.do(path));
    const impostor = portal.visitor();
    const shown = await impostor.get(`/sign-in?link=${firstLink}&lang=en`);
    const issued = /Member: <b>Olga<\/b>.*Link created by: <b>Mallory, by a link from: an operator/;
    expect(shown.text).toMatch(issued);
    const ru = (await impostor.get(`/sign-in?link=${firstLink}&lang=ru`)).text;
    expect(ru).toMatch(/Сотрудник: <b>Olga<\/b>.*Ссылку создал\(а\): <b>Mallory/);
    expect((await impostor.post('/sign-in', { link: firstLink })).status).toBe(303);

    const { text } = await impostor.get('/keys/new');
    const form = { form_token: hidden(text, 'form_token'), once: hidden(text, 'once') };
    const key = await impostor.post('/keys/new', {
      label: 'made by Mallory',
      scopes: 'all',
      ...form,
    });
    expect(key.status).toBe(303);
    const { link_issuers, actor } = (await newest(shopStream(own.shopId)))?.metadata ?? {};
    const issuers = [`member:${issuer.memberId}`, 'operator:alice'];
    expect([actor, link_issuers]).toEqual([`member:${member.memberId}`, issuers]);

    const notice = /Sign-in link created for you by: <b>Mallory.*?Made: .*?Used: /;
    const secondLink = linkIn(await issuer.do(path));
    expect((await impostor.get('/keys')).text).not.toMatch(notice);
    const page = (await member.get('/keys')).text;
    expect(page).toMatch(notice);
    expect(page).toContain('Not used yet.');
    expect((await member.get('/keys')).text).not.toMatch(notice);
    expect((await viewer.get('/members')).text).toMatch(/link from: Mallory/);

    expect((await admin.do(`/members/${issuer.memberId}/remove`)).status).toBe(200);
    expect((await impostor.get('/keys')).status).toBe(303);
    expect((await impostor.post('/sign-in', { link: secondLink })).status).toBe(401);
    expect((await member.get('/keys')).status).toBe(200);
  });

  it('sets a Secure, SameSite=Strict and __Host- cookie in production', async () => {
    const { sign_in_url: url } = await portal.add(own.shopId, 'viewer');
    const visitor = portal.instance({}, { production: true }).visitor();
    const { headers } = await visitor.post('/sign-in', { link: linkOf(url) });
    expect(headers.getSetCookie().join()).toMatch(
      /^__Host-portal_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  });
});

const receiptPath = '/operations/:operation_id/receipts/:receipt_id';
/** The routes of the portal that have an ID, each with its path for the IDs of a shop. */
const byId = ({
  shopId,
  operationId,
  messageId,
  keyId,
  memberId,
  batchId,
}: typeof other): [string, string][] => [
  ['/operations/:operation_id', `/operations/${operationId}`],
  [receiptPath, `/operations/${operationId}/receipts/${newId()}`],
  ['/webhooks/messages/:message_id', `/webhooks/messages/${messageId}`],
  ['/webhooks/messages/:message_id/resend', `/webhooks/messages/${messageId}/resend`],
  ...['edit', 'rotate', 'ping', 'delete'].map((act): [string, string] => [
    `/webhooks/endpoints/:endpoint_id/${act}`,
    // The first endpoint has the id of its shop.
    `/webhooks/endpoints/${shopId}/${act}`,
  ]),
  ['/payouts/:batch_id', `/payouts/${batchId}`],
  ['/payouts/:batch_id/confirm', `/payouts/${batchId}/confirm`],
  ['/payouts/:batch_id/result.csv', `/payouts/${batchId}/result.csv`],
  ['/keys/:key_id/revoke', `/keys/${keyId}/revoke`],
  ['/members/:member_id/link', `/members/${memberId}/link`],
  ['/members/:member_id/remove', `/members/${memberId}/remove`],
];
const never = '6f1d5b1e-0000-4000-8000-0000000000aa';
const noIds = { shopId: never, operationId: never, messageId: never, keyId: never };
const patterns = byId({ ...noIds, memberId: never, batchId: never });

const pathsOfLists = portalSections.map(({ path }) => path);

describe('isolation of shops', () => {
  it('is tested for every route that has an ID (R21.4)', () => {
    const named = new Set(portal.instance().paths.filter((path) => path.includes('/:')));
    named.delete('/balances/:currency');
    named.delete('/assets/:file');
    // The browser chooses this ID; the next test shows who can read it.
    named.delete('/exports/:follow');
    expect([...named].toSorted()).toEqual(patterns.map(([pattern]) => pattern).toSorted());
  });

  it('hides the progress of an export from another shop (R21.4)', async () => {
    const stranger = await portal.member(other.shopId, 'admin');
    await admin.get('/operations.csv?follow=abcd-1234');
    const mine = await admin.get('/exports/abcd-1234');
    expect([mine.status, JSON.parse(mine.text)]).toEqual([200, { rows: 1, state: 'written' }]);
    const theirs = await stranger.get('/exports/abcd-1234');
    expect([theirs.status, theirs.text]).toEqual([204, '']);
  });

  it.each(patterns)('hides another shop’s ID: GET and POST %s (R21.4)', async (pattern) => {
    const path = byId(other).find(([each]) => each === pattern)?.[1] ?? '';
    const page = await admin.get(path);
    expect(page).toMatchObject(pageWith(404, 'Page not found'));
    const form_token = await formTokenOf(admin);
    const posted = await admin.post(path, { form_token, once: newId() });
    expect(posted.status).toBe(acts.some((act) => act.path === pattern) ? 404 : 405);
    // The same path with the shop's own IDs exists, except for the receipt.
    const ids = byId({ ...own, memberId: viewer.memberId });
    const mine = ids.find(([each]) => each === pattern)?.[1] ?? '';
    expect((await admin.get(mine)).status).toBe(pattern === receiptPath ? 404 : 200);
  });

  it.each([
    ...pathsOfLists,
    '/operations.csv',
    '/balances.csv',
    '/balances/RUB',
    '/journal.csv?currency=RUB',
    '/webhook-deliveries.csv',
  ])('lists nothing of another shop, whatever the query: %s (R21.4)', async (path) => {
    const url = `${path}${path.includes('?') ? '&' : '?'}shop=${other.shopId}&shop_id=${other.shopId}`;
    const { status, text: page } = await admin.get(url);
    expect(status).toBe(200);
    // The language links repeat the requested address.
    const text = page.slice(Math.max(0, page.indexOf('<main')));
    for (const id of Object.values(other)) expect(text).not.toContain(id);
    expect(text).not.toContain(other.operationId.slice(0, 8));
  });
});

/** Counts the concurrent queries of a database. */
function countQueries() {
  const running = new Set<object>();
  let most = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      running.add(queryId);
      most = Math.max(most, running.size);
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      running.delete(queryId);
      return result;
    },
  };
  return {
    plugin,
    restart: () => {
      // Subqueries have no result of their own.
      running.clear();
      most = 0;
    },
    most: () => most,
  };
}

it('queries with one connection at a time for a page (R1.17)', async () => {
  const { plugin, restart, most } = countQueries();
  const instance = portal.instance({}, { db: portal.db.withPlugin(plugin) });
  const member = await instance.member(own.shopId, 'admin');
  const ids = byId({ ...own, memberId: viewer.memberId }).map(([, path]) => path);
  const paths = [...pathsOfLists, '/balances/RUB', ...ids];
  const pages: [path: string, queries: number][] = [];
  for (const path of paths) {
    restart();
    await member.get(path);
    pages.push([path, most()]);
  }
  expect(pages).toEqual(paths.map((path) => [path, 1]));
});

describe('a viewer', () => {
  it.each(acts.map(({ path }) => path))('is forbidden: %s (R21.5)', async (pattern) => {
    const ids = byId({ ...own, memberId: admin.memberId });
    const path = ids.find(([each]) => each === pattern)?.[1] ?? pattern;
    expect((await viewer.get(path)).status).toBe(403);
    const ofShop = () =>
      Promise.all([shopStream, membersStream].map((of) => newest(of(own.shopId))));
    const before = await ofShop();
    const form_token = await formTokenOf(viewer);
    const form = { form_token, once: newId(), label: 'x', name: 'x' };
    expect((await viewer.post(path, form)).status).toBe(403);
    const after = await ofShop();
    expect(after.map((event) => event?.id)).toEqual(before.map((event) => event?.id));
  });

  it('can read every list, and is offered no action (R21.5)', async () => {
    for (const path of pathsOfLists) {
      const { status, text } = await viewer.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/href="[^"]*\/(new|revoke|rotate|ping|resend|link|remove)"/);
    }
  });
});

describe('each page of the table', () => {
  const isFile = /\.(?:csv|json)$|:receipt_id$/;
  const pages = listPages(portalSections).filter(({ page }) => !isFile.test(page.path));

  it.each(pages.map(({ page, section }) => [page.path, section.path] as const))(
    'marks its section, and a viewer may open it: %s',
    async (pattern, section) => {
      const ids = byId({ ...own, memberId: viewer.memberId });
      const path = ids.find(([each]) => each === pattern)?.[1] ?? pattern.replace(/:\w+/, 'RUB');
      const { status, text } = await viewer.get(path);
      const [, marked] = /<a href="([^"]*)" aria-current="page"/.exec(text) ?? [];
      expect([path, status, marked]).toEqual([path, 200, section]);
    },
  );
});

describe('a rejected form', () => {
  const ofEndpoints = ['/webhooks/endpoints/new', '/webhooks/endpoints/:endpoint_id/edit'];
  const withFields = ['/keys/new', '/members/new', ...ofEndpoints];

  it.each(acts.map(({ path }) => path))('keeps what was typed: %s', async (pattern) => {
    const ids = byId({ ...own, memberId: viewer.memberId });
    const path = ids.find(([each]) => each === pattern)?.[1] ?? pattern;
    const opened = await admin.get(path);
    expect(opened.status).toBe(200);
    const typed = overlongValues(opened.text);
    const hasFields = Object.keys(typed).some((name) => !['form_token', 'once'].includes(name));
    expect(hasFields).toBe(withFields.includes(pattern));
    // A form without fields has nothing to keep; posting it would be accepted.
    if (!hasFields) return;
    const refused = await admin.post(path, typed);
    expect([path, refused.status, lostValues(refused.text, typed)]).toEqual([path, 400, []]);
  });

  it('keeps what was typed when the gateway fails', async () => {
    const fails = () => Promise.reject(new Error('broken'));
    const broken = portal.instance({}, { store: { ...portal.store, append: fails } }).visitor();
    const headers = { cookie: admin.cookie() };
    const opened = await broken.get('/keys/new', headers);
    const form_token = hidden(opened.text, 'form_token');
    const typed = { form_token, once: newId(), label: 'Kept', scopes: 'all' };
    const refused = await broken.post('/keys/new', typed, headers);
    expect([refused.status, lostValues(refused.text, typed)]).toEqual([500, []]);
    expect(refused.text).toContain('internal_error');
  });
});

describe('an operation', () => {
  const givenChargeback = async () => {
    const { shopId } = own;
    const operationId = newId();
    const order = { operationId, shopId, merchantOperationId: `back-${operationId}` };
    await appendHistories(portal.store, [paidHistory(order)]);
    await recordReturn(portal.store, { operationId, shopId, kind: 'charged_back' });
    return operationId;
  };

  it('shows a return in both languages, with a balance that is still unchanged', async () => {
    const operationId = await givenChargeback();
    const en = (await viewer.get(`/operations/${operationId}?lang=en`)).text;
    for (const expected of ['Charged back', '30.00', 'in all', 'your balance has not changed yet'])
      expect(en).toContain(expected);
    expect(en.toLowerCase()).not.toMatch(/sandbox|provider/);
    const ru = (await viewer.get(`/operations/${operationId}?lang=ru`)).text;
    expect(ru).toContain('Возвращено плательщику (чарджбэк)');
  });

  it('with a return is marked in the list, can be filtered, and has its amount in the CSV file (R5.17)', async () => {
    const operationId = await givenChargeback();
    await portal.waitForReadModels();
    const list = (await viewer.get('/operations?lang=en&returned=yes')).text;
    expect(list).toContain(operationId);
    expect(list).toMatch(/Charged back\s+₽30\.00/);
    expect(list).not.toContain(own.operationId);
    expect((await viewer.get('/operations?lang=ru&returned=yes')).text).toContain('Чарджбэк');
    const lines = (await viewer.get('/operations.csv?returned=yes')).text.trim().split('\r\n');
    expect(lines[0]).toContain('returned_amount');
    const linesWith = (id: string) => lines.filter((line) => line.includes(id));
    expect(linesWith(operationId)).toEqual([expect.stringContaining('30.00')]);
    expect(linesWith(own.operationId)).toEqual([]);
  });

  it('shows neither its provider nor its route and attempts (R21.6)', async () => {
    const { text } = await viewer.get(`/operations/${own.operationId}`);
    for (const expected of [own.operationId, `order-of-${own.shopId}`, 'Statuses', 'Completed'])
      expect(text).toContain(expected);
    expect(text.toLowerCase()).not.toMatch(/sandbox|provider|route|attempt \d/);
    const listed = (await viewer.get('/operations')).text;
    expect(listed).toContain(`order-of-${own.shopId}`);
    expect(listed.toLowerCase()).not.toContain('sandbox');
    expect(portal.accessLog.join()).toContain(`"operation_id":"${own.operationId}"`);
  });

  it('shows that the balance has not changed, with “yet” only until it is terminal', async () => {
    const id = await givenPayment(portal.store, { shopId: own.shopId, answers: [acceptance()] });
    const page = async () => (await viewer.get(`/operations/${id}?lang=en`)).text;
    expect(await page()).toContain('The balance has not changed yet.');
    await append(portal.store, id, { events: [cancelled], expectedRevision: 2 });
    expect(await page()).toContain('The balance has not changed.');
    expect((await viewer.get(`/operations/${id}?lang=ru`)).text).toContain('Баланс не изменился.');
  });

  it('has its metadata on its page and in the CSV file (R3.11)', async () => {
    const { text } = await viewer.get(`/operations/${own.operationId}`);
    expect(text).toContain('<code>order.id</code>: =1+1 &amp; &lt;2&gt;');
    const file = (await viewer.get('/operations.csv')).text;
    expect(file).toContain(',updated_at,metadata');
    expect(file).toContain('"{""order.id"":""=1+1 & <2>""}"');
  });

  it('is found by what a payer quotes, but only in the member’s own shop (R21.4)', async () => {
    const find = (line: string) => viewer.get(`/operations?lang=en&q=${encodeURIComponent(line)}`);
    const { operationId, shopId, messageId } = own;
    const toCard = await givenPayment(portal.store, { shopId, answers: [acceptance()] });
    const ofOther = { shopId: other.shopId, answers: [acceptance()] };
    const othersCard = await givenPayment(portal.store, ofOther);
    await portal.waitForReadModels();
    const byStart = await find(operationId.slice(0, 23).toUpperCase());
    expect(byStart.location).toBe(`/operations/${operationId}`);
    const [day = ''] = new Date().toISOString().split('T');
    portal.accessLog.length = 0;
    for (const line of [`order-of-${shopId.slice(0, 30)}`, `ORDER-of-${shopId}`.toUpperCase()])
      expect((await find(line)).text).toContain(operationId);
    for (const line of ['c', 'C', '100', '100,00 ₽', '100 today', 'сегодня', '1+1 & <2>', day]) {
      const { text } = await find(line);
      expect([line, text.includes(operationId)]).toEqual([line, true]);
      expect(text).not.toContain(other.operationId);
    }
    for (const line of ['*0004', '0004', '100 0004 today']) {
      const { text } = await find(line);
      expect([line, text.includes(toCard), text.includes(othersCard)]).toEqual([line, true, false]);
    }
    expect(portal.accessLog.join()).toContain(`"operation_id":"${toCard}"`);
    for (const line of [other.operationId, other.messageId, `order-of-${other.shopId}`]) {
      const { status, text } = await find(line);
      expect([line, status, text.includes('Nothing found')]).toEqual([line, 200, true]);
    }
    expect((await find(messageId)).status).toBe(200);
    const { text } = await viewer.get('/operations?lang=en&q=100&from=1999-01-01&to=1999-01-02');
    expect(text).toContain('Nothing found');
  });

  it('in a file is one that the search on the page finds (R16.19)', async () => {
    const { operationId, shopId } = own;
    const line = `ORDER-of-${shopId}`.toUpperCase();
    const page = (await viewer.get(`/operations?q=${line}`)).text;
    const [href = ''] = /\/operations\.csv\?q=[^"]+/.exec(page) ?? [];
    const idsIn = async (path: string) =>
      [...(await viewer.get(path)).text.matchAll(/(\S{36}),payment,/g)].map(([, id]) => id);
    expect(await idsIn(href)).toEqual([operationId]);
    expect(await idsIn('/operations.csv?q=1%2B1')).toEqual([operationId]);
    expect(await idsIn(`/operations.csv?q=order-of-${other.shopId}`)).toEqual([]);
    expect(await idsIn('/operations.csv')).toContain(operationId);
  });

  it('shows when it was created, why it was cancelled, and each equal amount once', async () => {
    const { shopId } = own;
    const toCancel = await givenPayment(portal.store, { shopId, answers: [acceptance()] });
    const requested: OperationEvent = {
      type: 'OperationCancelled',
      data: { ...noMoney, reason: 'no stock' },
    };
    await append(portal.store, toCancel, { events: [requested], expectedRevision: 2 });
    const page = async (id: string, language: 'en' | 'ru') =>
      (await viewer.get(`/operations/${id}?lang=${language}`)).text.replaceAll(/\s+/g, ' ');
    const en = await page(toCancel, 'en');
    for (const part of [
      '<dt>Created</dt>',
      'Reason for the cancel',
      'no stock',
      'nothing came before the end',
    ])
      expect(en).toContain(part);
    expect(en).not.toMatch(/operation_id<|To the balance|Recorded/);
    const paid = await page(own.operationId, 'ru');
    for (const part of ['Номер операции', 'Получено', 'На баланс', 'за вычетом комиссии'])
      expect(paid).toContain(part);
    expect(paid).not.toContain('Учтено');
  });

  it('shows money that came after its end, which waits for a decision', async () => {
    const { shopId } = own;
    const operationId = await givenPayment(portal.store, { shopId, answers: [acceptance()] });
    await append(portal.store, operationId, { events: [cancelled], expectedRevision: 2 });
    await recordLateMoney(portal.store, { operationId, shopId, amount: '77.00' });
    const { text } = await viewer.get(`/operations/${operationId}?lang=en`);
    for (const part of [
      'Money that came after the end',
      '77.00',
      'Waiting for the gateway’s decision',
    ])
      expect(text).toContain(part);
    await portal.waitForReadModels();
    const found = (await viewer.get('/operations?lang=en&q=77')).text;
    for (const part of [operationId, 'amount after the end']) expect(found).toContain(part);
    const { rows } = await sql<{ entry_id: string }>`select entry_id from gateway.suspense
      where operation_id = ${operationId}`.execute(portal.db);
    // An exact id is found, and exported, whatever the filters are.
    const byEntry = `q=${rows[0]?.entry_id}&type=payout`;
    for (const list of ['/operations', '/operations.csv'])
      expect((await viewer.get(`${list}?${byEntry}`)).text).toContain(operationId);
  });
});

it('shows times, filters days and exports files in the reader’s time zone', async () => {
  const inKolkata = { cookie: 'zone=Asia/Kolkata', 'accept-language': 'en' };
  const { text } = await viewer.get('/operations', inKolkata);
  expect(text).toContain('Times are in Asia/Kolkata');
  const [, utc = '', shown] = /<time datetime="([^"]+)"[^>]*>([^<]+)</.exec(text) ?? [];
  expect(shown).toContain(new Date(Date.parse(utc) + 19_800_000).toISOString().slice(11, 19));
  expect((await viewer.get('/operations.csv', inKolkata)).text).toContain('+05:30');
  // The day of the operation in Kiritimati, UTC+14.
  const [admitted] = await portal.store.read(`operation-${own.operationId}`, { maxCount: 1 });
  const atMs = admitted!.created.getTime() + 14 * 3_600_000;
  const day = new Date(atMs).toISOString().slice(0, 10);
  const first = { ...inKolkata, cookie: 'zone=Pacific/Kiritimati' };
  const days = await viewer.get(`/operations?from=${day}&to=${day}`, first);
  expect(days.text).toContain(own.operationId);
});

it('shows balances and a journal, without an operator’s reason (R21.6)', async () => {
  const position = await portal.ledgers.position(own.shopId, 'RUB');
  if (position.outcome !== 'consistent') throw new Error('the ledger contradicts itself');
  expect((await viewer.get('/balances')).text).toContain(position.balance);
  expect((await viewer.get('/balances?lang=ru')).text).toContain('Без лимита');
  expect((await viewer.get('/balances?lang=en')).text).toContain('Unlimited');
  const { text } = await viewer.get('/balances/RUB');
  expect(text).toContain('50.00');
  expect(text).toContain('Adjustment by the gateway');
  expect(text).not.toContain('a secret reason');
  const change = '>Change of the balance</th><th scope="col" class="amount">Balance after</th>';
  expect(text).toContain(change);
  expect(text).toContain(`title="order-of-${own.shopId}"`);
  const file = (await viewer.get('/journal.csv?currency=RUB')).text;
  expect(file).toContain(',entry_id,merchant_operation_id ');
  expect(file).toContain(`,order-of-${own.shopId} `);
  expect((await viewer.get('/balances/XXX')).status).toBe(404);
});

describe('an admin', () => {
  const lastCommand = (type: string, more: object = {}) => ({
    type,
    ...more,
    metadata: { actor: `member:${admin.memberId}` },
  });

  it('issues a key, which is shown once, and revokes it (R21.7)', async () => {
    const issued = await admin.do('/keys/new', { label: 'server 2', scopes: 'all' });
    const key = /gw_[0-9A-Za-z]{40}/.exec(issued.text)?.[0] ?? '';
    expect(key).not.toBe('');
    expect(await newest(shopStream(own.shopId))).toMatchObject(lastCommand('ApiKeyIssued'));
    expect((await portal.directory.byApiKey(key))?.shop.shopId).toBe(own.shopId);
    expect((await admin.get('/keys')).text).not.toContain(key);
    const keyId = (await portal.directory.byApiKey(key))?.keyId;
    expect((await admin.do(`/keys/${keyId}/revoke`)).text).toContain('The key is revoked.');
    expect(await newest(shopStream(own.shopId))).toMatchObject(lastCommand('ApiKeyRevoked'));
    expect(await portal.directory.byApiKey(key)).toBeUndefined();
    const faulty = await admin.do('/keys/new', { label: ' ', scopes: 'all' });
    expect(faulty).toMatchObject(pageWith(400, 'Please correct'));
  });

  it('issues no key, and adds no endpoint, with nothing chosen (R21.9)', async () => {
    const before = await newest(shopStream(own.shopId));
    for (const scopes of [{}, { scopes: 'some' }]) {
      const refused = await admin.do('/keys/new', { label: 'server 3', ...scopes });
      expect(refused).toMatchObject(pageWith(400, 'choose at least one of them'));
    }
    for (const types of [{}, { types: 'some' }]) {
      const endpoint = { url: 'https://shop.example/hooks', ...types };
      const refused = await admin.do('/webhooks/endpoints/new', endpoint);
      expect(refused).toMatchObject(pageWith(400, 'choose at least one of them'));
    }
    expect(await newest(shopStream(own.shopId))).toEqual(before);
  });

  it('issues a key with limits, and shows them (R1.16)', async () => {
    const some = { scopes: 'some', 'scopes:read': 'on' };
    const untilThen = { label: 'till', expires_at: '2037-01-31T12:00', ...some };
    const past = await admin.do('/keys/new', { ...untilThen, expires_at: '2020-01-31T12:00' });
    expect(past).toMatchObject(pageWith(400, 'this time has passed'));
    const faulty = await admin.do('/keys/new', { ...untilThen, allowed_ips: '10.0.0.0/40' });
    expect(faulty).toMatchObject(pageWith(400, '>10.0.0.0/40</textarea>'));
    const limited = { ...untilThen, allowed_ips: '203.0.113.7\n10.0.0.0/8' };
    const { text } = await admin.do('/keys/new', limited);
    const addresses = ['203.0.113.7/32', '10.0.0.0/8'];
    const until = 'until <time datetime="2037-01-31T12:00:00.000Z"';
    for (const part of ['Only: reading', `from ${addresses.join(', ')}`, until])
      expect(text).toContain(part);
    const limits = { expires_at: '2037-01-31T12:00:00.000Z', allowed_ips: addresses };
    const data = { label: 'till', ...limits, scopes: ['read'] };
    const command = lastCommand('ApiKeyIssued', { data });
    expect(await newest(shopStream(own.shopId))).toMatchObject(command);
  });

  it('can’t issue more keys than the maximum of a shop', async () => {
    const shopId = await portal.newShop();
    const member = await portal.member(shopId, 'admin');
    for (let each = 0; each < maxKeys; each += 1) await issueKey(shopId, 'server');
    const refused = await member.do('/keys/new', { label: 'server', scopes: 'all' });
    expect(refused).toMatchObject(pageWith(409, 'the maximum number of API keys'));
    expect(await issueKey(shopId, 'server')).toMatchObject(problem(409, 'too_many_keys'));
  });

  it('can’t issue a member more sign-in links than the daily maximum (R21.1)', async () => {
    const { member_id: id } = await portal.add(own.shopId, 'viewer');
    const links = `POST /admin/v1/shops/${own.shopId}/members/${id}/sign-in-links`;
    // The first link was issued with the member.
    for (let each = 1; each < linksInADay; each += 1)
      expect((await portal.call(links)).status).toBe(201);
    expect(await portal.call(links)).toMatchObject(problem(409, 'too_many_links'));
    const refused = await admin.do(`/members/${id}/link`);
    expect(refused).toMatchObject(pageWith(409, 'sign-in links'));
  });

  it('reads a webhook, pings, resends and rotates the secret (R21.7)', async () => {
    const { text } = await admin.get(`/webhooks/messages/${own.messageId}`);
    expect(text).toContain('&quot;type&quot;:&quot;ping&quot;');
    const endpoint = `/webhooks/endpoints/${own.shopId}`;
    expect((await admin.do(`${endpoint}/ping`)).text).toContain('The ping is queued.');
    expect(await newest(webhookCommandsStream)).toMatchObject(lastCommand('WebhookPingRequested'));
    await admin.do(`/webhooks/messages/${own.messageId}/resend`);
    const data = { shop_id: own.shopId, message_id: own.messageId };
    expect(await newest(webhookCommandsStream)).toMatchObject(
      lastCommand('WebhookRedeliveryRequested', { data }),
    );
    expect((await admin.do(`${endpoint}/rotate`)).text).toMatch(/whsec_[\w+/=]{40}/);
    expect(await newest(shopStream(own.shopId))).toMatchObject(lastCommand('WebhookSecretIssued'));
  });

  it('filters deliveries, and resends the matching ones after showing how many they are', async () => {
    const shopId = await portal.newShopWithWebhook();
    const member = await portal.member(shopId, 'admin');
    for (const ms of [10, 20, 30, 400]) {
      const id = await ping(portal.db, { shopId });
      await sql`insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, status_code)
        values (${id}, 1, now(), ${ms}, 'x', 500)`.execute(portal.db);
    }
    const end = sql`update webhooks.message set status = 'exhausted', due_at = null, finished_at = now(), attempt_count = 1`;
    await sql`${end} where shop_id = ${shopId} and message_id in (
      select message_id from webhooks.attempt where duration_ms > 10)`.execute(portal.db);

    const rows = async (query: string) =>
      [...(await member.get(`/webhooks?${query}`)).text.matchAll(/<strong>ping<\/strong>/g)].length;
    expect(await rows('')).toBe(4);
    expect(await rows('type=ping&status=exhausted')).toBe(3);
    expect(await rows('type=payment.completed')).toBe(0);
    expect(await rows('from=2999-01-01')).toBe(0);
    const none = (await member.get('/webhooks?type=payout.declined')).text;
    expect(none).toContain('No delivery matches the filter.');
    expect(await rows('to=2999-01-01&from=2020-01-01')).toBe(4);
    const { text } = await member.get('/webhooks?type=ping&status=exhausted');
    // The percentiles exclude the pending one.
    expect(text).toMatch(/median \/ 95% within<\/dt>\s*<dd>30 ms \/ 363 ms/);
    expect(text).toContain('Pending: 1 · Exhausted: 3');
    const [, path = ''] = /href="(\/webhooks\/resend[^"]*)"/.exec(text) ?? [];
    const resend = path.replaceAll('&amp;', '&');
    expect((await member.get(resend)).text).toMatch(/Webhooks<\/dt>\s*<dd>3</);
    // Without a match there is a message, and no button.
    expect(none).not.toContain('href="/webhooks/resend');
    expect((await member.get('/webhooks?status=delivered')).text).not.toContain('/webhooks/resend');
    const nothing = await member.get('/webhooks/resend?type=payout.declined');
    expect(nothing.text).toContain('No delivery matches the filter.');
    expect(nothing.text).not.toContain('type="submit">Resend');
    const form = { form_token: hidden(nothing.text, 'form_token') };
    const sent = await member.post('/webhooks/resend?type=payout.declined', form);
    expect(sent).toMatchObject(pageWith(200, 'No delivery matches the filter.'));
    expect((await member.do(resend)).text).toContain('Webhooks being resent: 3.');
    expect(await newest(webhookCommandsStream)).toMatchObject({
      type: 'WebhookRedeliveriesRequested',
      data: { shop_id: shopId, status: 'exhausted', type: 'ping' },
      metadata: { actor: `member:${member.memberId}`, schema_version: 2 },
    });
    expect(await rows('status=pending')).toBe(4);
  });

  it('adds, changes and deletes an endpoint', async () => {
    const url = 'https://shop.example/accounting';
    const types = { types: 'some', 'types:payment.completed': 'on' };
    const values = { url, description: 'Accounting', ...types };
    const wrong = await admin.do('/webhooks/endpoints/new', { ...values, url: 'http://10.0.0.1/' });
    expect(wrong).toMatchObject(pageWith(400, 'value="http://10.0.0.1/"'));
    const added = await admin.do('/webhooks/endpoints/new', values);
    expect(added.text).toMatch(/whsec_[\w+/=]{40}/);
    expect(added.text).toContain('The endpoint is added.');
    const listed = added.text.match(/(?<=endpoints\/)[0-9a-f-]{36}(?=\/edit)/g) ?? [];
    const id = listed.find((each) => each !== own.shopId) ?? '';
    expect(await newest(shopStream(own.shopId))).toMatchObject(lastCommand('WebhookSecretIssued'));
    const edit = `/webhooks/endpoints/${id}/edit`;
    const opened = await admin.get(edit);
    const rendered = hidden(opened.text, 'rendered').replaceAll('&quot;', '"');
    await admin.do(edit, { ...values, description: 'Books', enabled: 'on' });
    // From the form as it was before the other change, which is retained.
    await admin.do(edit, { ...values, url: `${url}/1`, enabled: 'on', rendered });
    const latest = await admin.get(edit);
    for (const shown of [`${url}/1`, 'Books']) expect(latest.text).toContain(`value="${shown}"`);
    await admin.do(edit, { url: `${url}/2`, types: 'all' });
    expect((await admin.get('/webhooks')).text).toContain(`${url}/2`);
    const disabled = { data: { endpoint_id: id, reason: 'merchant' } };
    const command = lastCommand('WebhookDisabled', disabled);
    expect(await newest(shopStream(own.shopId))).toMatchObject(command);
    await admin.do(`/webhooks/endpoints/${id}/delete`);
    expect((await admin.get('/webhooks')).text).not.toContain(url);
  });

  it('sees a warning on every page while an endpoint is disabled or failing (R14.19)', async () => {
    const shopId = await portal.newShop();
    const url = 'http://127.0.0.1:9/';
    const set = (enabled: boolean) =>
      portal.call(`PUT /admin/v1/shops/${shopId}/webhook`, { body: { url, enabled } });
    await set(true);
    const member = await portal.member(shopId, 'viewer');
    const showing = async (text: string) => {
      const pages = await Promise.all(pathsOfLists.map((path) => member.get(path)));
      return pathsOfLists.filter((_, index) => pages[index]?.text.includes(text));
    };
    expect(await showing('Webhooks do not arrive.')).toEqual([]);
    await set(false);
    // The shop's settings may be cached for the duration of a lease.
    await expect.poll(() => showing('Webhooks do not arrive.')).toEqual(pathsOfLists);
    await set(true);
    const failing = { endpointId: shopId, failingSince: '2026-01-31T12:00:00.000Z' };
    await commandShop(portal.store, {
      shopId,
      decide: (state) => noteHealth(state, failing),
      origin: { actor: 'service:webhooks', correlationId: newId() },
    });
    await expect.poll(() => showing('all attempts have failed since')).toEqual(pathsOfLists);
  });

  it('adds a member, who can sign in, but can’t remove themselves', async () => {
    const page = await admin.do('/members/new', { name: 'Boris', role: 'viewer' });
    const visitor = portal.visitor();
    expect((await visitor.post('/sign-in', { link: linkIn(page) })).status).toBe(303);
    expect((await visitor.get('/members')).text).toContain('Boris');
    const self = await admin.do(`/members/${admin.memberId}/remove`);
    expect(self.status).toBe(403);
    expect((await admin.get('/operations')).status).toBe(200);
  });

  it('changes nothing if they are removed while their form arrives', async () => {
    const removed = await portal.member(own.shopId, 'admin');
    const page = await removed.get('/keys/new');
    const form = { label: 'slow', form_token: hidden(page.text, 'form_token'), once: newId() };
    const before = await newest(shopStream(own.shopId));
    const posted = await removed.post('/keys/new', form, {}, async () => {
      expect((await admin.do(`/members/${removed.memberId}/remove`)).status).toBe(200);
    });
    expect(posted.status).toBe(403);
    expect((await newest(shopStream(own.shopId)))?.id).toBe(before?.id);
  });

  it('is limited to 100 forms, without affecting their reads or another shop', async () => {
    const instance = portal.instance({ elapsedMs: () => 0 });
    const visitor = await instance.member(own.shopId, 'admin');
    const statuses: number[] = [];
    for (let each = 0; each < 101; each += 1)
      statuses.push((await visitor.post(`/webhooks/endpoints/${own.shopId}/ping`, {})).status);
    expect(statuses).toEqual([...Array.from({ length: 100 }, () => 403), 429]);
    expect((await visitor.get('/webhooks')).status).toBe(200);
    const others = await instance.member(other.shopId, 'admin');
    expect((await others.post(`/webhooks/endpoints/${other.shopId}/ping`, {})).status).toBe(403);
  });

  it('sees when a key was last used, even after it is revoked', async () => {
    const { key_id: keyId } = (await issueKey(own.shopId, 'old till')).body;
    await noteKeyUse(portal.store, { keyId, usedAtMs: Date.UTC(2021, 1, 3), everyMs: 1 });
    expect((await admin.get('/keys')).text).toContain('2021-02-03');
    await admin.do(`/keys/${keyId}/revoke`);
    const { text } = await admin.get('/keys');
    expect(text).toContain('2021-02-03');
    // Its end is part of its status, not an action.
    expect(text).toMatch(/old till.*revoked<\/span><\/span><div class="muted small"><time/);
  });

  it('repeats a form without effect, and can’t use another session’s token', async () => {
    const path = `/webhooks/endpoints/${own.shopId}/ping`;
    const page = await admin.get(path);
    const values = { form_token: hidden(page.text, 'form_token'), once: hidden(page.text, 'once') };
    const before = await newest(webhookCommandsStream);
    const both = await Promise.all([1, 2].map(() => admin.post(path, values)));
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect((await newest(webhookCommandsStream))?.revision).toBe((before?.revision ?? -1) + 1);
    const form_token = await formTokenOf(viewer);
    expect((await admin.post(path, { form_token, once: newId() })).status).toBe(403);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const again = { ...values, once: newId() };
    expect((await admin.post(path, again, foreign)).status).toBe(403);
  });
});

describe('a receipt that the payer uploaded', () => {
  const sha256 = 'ab'.repeat(32);
  const givenReceipt = async (shopId: string) => {
    const receipt_id = newId();
    const operationId = await givenPayment(portal.store, {
      shopId,
      answers: [acceptance()],
      after: [
        { type: 'ReceiptUploaded', data: { receipt_id, sha256, size_bytes: 4, pdf: false } },
        { type: 'ManualCheckStarted', data: { receipt_id, reason: 'not_terminal' } },
      ],
    });
    return { operationId, path: `/operations/${operationId}/receipts/${receipt_id}` };
  };

  it('has its time, state and reason, and a link that is signed, expires and is logged (R21.12)', async () => {
    const { operationId, path } = await givenReceipt(own.shopId);
    const { text } = await viewer.get(`/operations/${operationId}?lang=en`);
    for (const part of ['Uploaded by', 'Under manual check', 'unreadable', `href="${path}"`])
      expect(text).toContain(part);
    expect(text).not.toContain('receipt_id');
    portal.accessLog.length = 0;
    const opened = await viewer.get(path);
    expect(opened.status).toBe(303);
    const links = createReceiptLinks({ baseUrl: '', secret: 'a-secret-of-tests' });
    const link = new URL(opened.headers.get('location') ?? '');
    expect(links.isValid(`${link.pathname}${link.search}`)).toBe(true);
    const seen = { member_id: viewer.memberId, operation_id: operationId, shown: 'receipt' };
    expect(portal.accessLog.map((line) => JSON.parse(line) as object)).toMatchObject([seen]);
  });

  it('is not found by another shop, and not logged (R21.4)', async () => {
    const { path } = await givenReceipt(other.shopId);
    portal.accessLog.length = 0;
    expect((await admin.get(path)).status).toBe(404);
    expect(portal.accessLog).toEqual([]);
  });
});

it('shows the amount of a transfer’s receipt, and logs who opened it', async () => {
  const { operationId, shopId } = own;
  const { text } = await viewer.get(`/operations/${operationId}`);
  // Its amount, and the entries above it, have their currency.
  expect(text).toMatch(/Balance entries, RUB<.*Transfer receipts.*>₽\d/s);
  const path = new RegExp(`/operations/${operationId}/receipts/[\\w-]+`).exec(text)?.[0] ?? '';
  expect((await viewer.get(path)).status).toBe(303);
  const line = portal.accessLog.find((each) => each.includes('"shown":"receipt"')) ?? '{}';
  const shown = { member_id: viewer.memberId, shop_id: shopId, operation_id: operationId };
  expect(JSON.parse(line)).toMatchObject(shown);
});

it('shows no terminal status before its ledger entry is posted (R12.12)', async () => {
  const shopId = await portal.newShop();
  const operationId = newId();
  const paid = paidHistory({ operationId, shopId, merchantOperationId: 'order-1' });
  await appendHistories(portal.store, [paid]);
  await portal.waitForReadModels();
  const undecided = { outcome: 'undecided', cause: new Error('no answer') } as const;
  const booked = new BookedOperations();
  const ledgers = { ...portal.ledgers, booked, isPosted: () => false, post: async () => undecided };
  const waiting = await portal.instance({}, { ledgers }).member(shopId, 'viewer');
  const paths = ['/operations', `/operations/${operationId}`, '/operations.csv'];
  const statuses = async (visitor: Visitor) => {
    const answered: number[] = [];
    for (const path of paths) answered.push((await visitor.get(path)).status);
    return answered;
  };
  expect(await statuses(waiting)).toEqual([503, 503, 503]);
  expect(await statuses(await portal.member(shopId, 'viewer'))).toEqual([200, 200, 200]);
  expect(await portal.ledgers.position(shopId, 'RUB')).toMatchObject({ revision: 0 });

  // The journal has the entry: the log is not read, however old the operation is.
  await portal.waitForReadModels();
  const readLog: typeof portal.store.readLog = async () => {
    throw new Error('the log was read');
  };
  const store = Object.assign(Object.create(portal.store) as typeof portal.store, { readLog });
  const fresh = { ...ledgers, booked: new BookedOperations() };
  const later = await portal.instance({}, { ledgers: fresh, store }).member(shopId, 'viewer');
  expect((await later.get('/operations')).status).toBe(200);
  expect((await later.get('/operations.csv')).text).toContain(operationId);
});

it('limits the concurrent requests of a merchant’s staff (R21.4)', async () => {
  let inFlight = 0;
  let peak = 0;
  const position: TestPortal['ledgers']['position'] = async (...of) => {
    inFlight += 1;
    peak = Math.max(peak, inFlight);
    await delay(20);
    inFlight -= 1;
    return portal.ledgers.position(...of);
  };
  const instance = portal.instance({}, { ledgers: { ...portal.ledgers, position } });
  const visitor = await instance.member(own.shopId, 'viewer');
  const pages = await Promise.all(Array.from({ length: 12 }, () => visitor.get('/balances')));
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThanOrEqual(3 * currencies.length);
});

it('limits the concurrent exports of a merchant’s staff (R16.16)', async () => {
  const limits = { ...exportLimits, perHolder: 0 };
  const instance = portal.instance({}, { exports: createExports(portal.db, { logger, limits }) });
  const visitor = await instance.member(own.shopId, 'viewer');
  for (const list of ['operations', 'balances', 'webhook-deliveries'])
    expect((await visitor.get(`/${list}.csv`)).status).toBe(429);
});

it('exports lists without internal columns, and logs who exported them (R21.6)', async () => {
  const columnsOf = async (path: string) =>
    ((await viewer.get(path)).text.split(' ')[0] ?? '').replace('\uFEFF', '').split(',');
  const operations = await viewer.get('/operations.csv');
  expect(operations.text).toContain(own.operationId);
  const disposition = operations.headers.get('content-disposition');
  expect(disposition).toMatch(/^attachment; filename="operations-/);
  const internal = /provider|shop_name|merchant_id$|actor|^reason|cause|suspense|external/;
  for (const list of ['operations', 'balances', 'journal', 'webhook-deliveries']) {
    const columns = await columnsOf(`/${list}.csv${list === 'journal' ? '?currency=RUB' : ''}`);
    expect(columns.length).toBeGreaterThan(5);
    expect(columns.filter((name) => internal.test(name))).toEqual([]);
  }
  expect(portal.accessLog.join()).toContain(`"member_id":"${viewer.memberId}"`);
});

it('exports statements with verifiable proofs, once they are signed (R21.6, R25.1)', async () => {
  const day = dayIn(Date.now(), 'UTC');
  const path = `/statement.json?currency=RUB&from=2026-01-01&to=${day}`;
  expect((await viewer.get('/balances/RUB')).text).toContain('href="/statement?currency=RUB"');
  const key = createSigningKey(Buffer.alloc(32, 7).toString('base64'));
  const { store } = portal;
  const db = portal.db as unknown as Kysely<unknown>;
  const metrics = createMetrics('test');
  const signer = startSigner({ db, store, logger, metrics, key, everyMs: 0 });
  onTestFinished(() => signer.stop());
  const { status, headers, text } = await viewer.get(path);
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="statement-RUB-/);
  const { keyId: key_id, x } = key;
  const period = { valid_from: '2026-01-01T00:00:00.000Z', valid_until: null };
  const listed = { key_id, kty: 'OKP', crv: 'Ed25519', x, ...period };
  const files = { statement: JSON.parse(text), keys: { keys: [listed] } };
  expect(verify(files)).toContain(own.shopId);
  expect(portal.accessLog.join()).toContain('"exported":"statement"');
  expect((await viewer.get('/statement.json?currency=XXX')).status).toBe(404);
  const statement = await viewer.get(`/statement?month=${day.slice(0, 7)}`);
  for (const list of ['json', 'csv'])
    expect(statement.text).toContain(`href="/statement.${list}?currency=RUB&amp;from=`);
  const csv = await viewer.get(path.replace('.json', '.csv'));
  expect(csv.headers.get('content-disposition')).toMatch(/filename="statement-RUB-.*\.csv"$/);
  expect(csv.text).toMatch(/^currency,kind,.*RUB,opening,.*RUB,closing,/s);
});

it('shows the totals of a month by kind, last month first, and how to verify them (R21.11)', async () => {
  const shopId = await portal.newShop();
  const member = await portal.member(shopId, 'viewer');
  expect((await member.get('/statement')).text).toContain('Nothing has moved the balance yet');
  const adjust = async (amount: string) => {
    const body = { adjustment_id: newId(), currency: 'RUB', amount, reason: 'a secret reason' };
    await portal.call(`POST /admin/v1/shops/${shopId}/adjustments`, { body });
  };
  await adjust('100.00');
  await adjust('-30.00');
  await portal.waitForReadModels();
  const month = dayIn(Date.now(), 'UTC').slice(0, 7);
  const { text } = await member.get(`/statement?month=${month}`);
  const totals = /<tbody>.*?<\/tbody>/s.exec(text)?.[0].replaceAll(/<[^>]*>|\s+/g, ' ');
  expect(totals?.split(/\s+/).join(' ').trim()).toBe(
    'Opening balance 0.00 Adjustment by the gateway 2 +70.00 Balance so far 70.00',
  );
  for (const part of ['verify-statement', '/docs/client.tgz', '/.well-known/checkpoint-keys'])
    expect(text).toContain(part);
  expect(text).not.toContain('a secret reason');
  // Without a choice it is last month, which has no entries here.
  const last = await member.get('/statement');
  expect(last.text).not.toContain('Adjustment by the gateway');
  expect(last.text).toMatch(/Nothing moved the balance in this month.*Closing balance.*0\.00/s);
  expect(text).not.toContain('Nothing moved the balance');
});

it('marks every page of a shop whose routes all lead to the sandbox (R21.10)', async () => {
  const shopId = await portal.newShop();
  const member = await portal.member(shopId, 'admin');
  const marked = async () => {
    const pages = await Promise.all(
      ['/operations', '/keys', '/keys/new'].map((path) => member.get(path)),
    );
    return pages.map(({ text }) => text.includes('Test mode'));
  };
  expect(await marked()).toEqual([false, false, false]);
  const route = { type: 'payment', method: 'WT_RUB_C2C', currency: 'RUB', priority: 1 };
  const put = (routes: readonly object[]) =>
    portal.call(`PUT /admin/v1/shops/${shopId}/routes`, { body: { routes } });
  const commission = { percent: '2.50' };
  const sandbox = { ...route, provider: 'sandbox', commission };
  expect((await put([sandbox])).status).toBe(200);
  // The shop's settings may be cached for the duration of a lease.
  await expect.poll(marked).toEqual([true, true, true]);
});

describe('an endpoint', () => {
  const given = async (attempts: readonly { status: string; code: number | null }[]) => {
    const shopId = await portal.newShopWithWebhook();
    const id = await ping(portal.db, { shopId });
    for (const [index, { code }] of attempts.entries()) {
      const error = code === null ? 'the connection was refused' : null;
      await sql`insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, status_code, error)
        values (${id}, ${index + 1}, now(), 7, 'x', ${code}, ${error})`.execute(portal.db);
    }
    const isDone = attempts.at(-1)?.status === 'delivered';
    const end = sql`status = 'delivered', due_at = null, finished_at = now(),`;
    await sql`update webhooks.message set ${isDone ? end : sql``} attempt_count = ${attempts.length}
      where message_id = ${id}`.execute(portal.db);
    return portal.member(shopId, 'viewer');
  };
  const refused = { status: 'pending', code: null };
  const cardOf = async (member: MemberVisitor, query = '') =>
    /<dl class="pairs across">.*?<\/dl>/s.exec((await member.get(`/webhooks${query}`)).text)?.[0] ??
    '';

  it('counts a webhook once however often it was tried, and is amber while all attempts fail', async () => {
    const member = await given([refused, refused, refused]);
    const card = await cardOf(member);
    expect(card).toContain('<dd>Failed, to be retried: 1</dd>');
    expect(card).toMatch(/badge warning.*on(?:<\/span>)+no attempt has succeeded in 24 hours/s);
    // A refused connection is no response.
    expect(card).toMatch(/median \/ 95% within<\/dt>\s*<dd>—/);
    const { text } = await member.get('/webhooks?lang=ru');
    expect(text).toContain('сервер не принял соединение');
    expect(text).not.toContain('the connection was refused');
  });

  it('is green, with its response time, once one was delivered', async () => {
    const card = await cardOf(await given([refused, { status: 'delivered', code: 200 }]));
    expect(card).toContain('<dd>Delivered: 1</dd>');
    expect(card).toMatch(/badge success.*on<\/span>/s);
    expect(card).toMatch(/median \/ 95% within<\/dt>\s*<dd>7 ms \/ 7 ms/);
  });
});

it('names the earlier webhook of its operation that one waits for (R14.9)', async () => {
  const shopId = await portal.newShopWithWebhook();
  const operationId = newId();
  const first = await ping(portal.db, { shopId });
  const second = await ping(portal.db, { shopId });
  const place = (id: string, sequence: number, change: object) =>
    portal.db
      .updateTable('webhooks.message')
      .set({ operation_id: operationId, sequence, ...change })
      .where('message_id', '=', id)
      .execute();
  await place(first, 1, { type: 'payment.partially_completed' });
  await place(second, 2, { type: 'payment.completed', due_at: null });
  const member = await portal.member(shopId, 'viewer');
  const page = async (id: string) => (await member.get(`/webhooks/messages/${id}`)).text;
  expect(await page(second)).toMatch(
    new RegExp(`Waits for<.*href="/webhooks/messages/${first}">payment.partially_completed<`, 's'),
  );
  expect(await page(first)).not.toContain('Waits for<');
});

describe('payout files', () => {
  const uploadText = async (visitor: MemberVisitor, text: string | Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.set('form_token', hidden((await visitor.get('/payouts')).text, 'form_token'));
    form.set('file', new Blob([text]), 'payouts.csv');
    return visitor.upload('/payouts', form);
  };
  const upload = (visitor: MemberVisitor, ...rows: string[]) =>
    uploadText(visitor, payoutFile(...rows));

  it('are uploaded, shown with their total and the balance, and confirmed (R24.5)', async () => {
    const rows = [payoutRow(newId()), payoutRow(newId())];
    const { status, location } = await upload(admin, ...rows);
    expect(status).toBe(303);
    const shown = await admin.get(location);
    expect(shown.text).toMatch(
      /payouts\.csv.*Waits for confirmation.*Confirm the payouts.*Uploaded by.*20\.00.*Rows of the file/,
    );
    const position = await portal.ledgers.position(own.shopId, 'RUB');
    const balance = position.outcome === 'consistent' ? position.balance : 'inconsistent';
    expect(shown.text).toContain(`₽${balance}`);
    expect(shown.text).not.toContain('second member');
    expect((await viewer.get(location)).text).not.toContain('Confirm the payouts');
    const done = await admin.do(`${location}/confirm`);
    expect(done.text).toMatch(/The payouts are confirmed\..*Creating payouts/);
    expect((await upload(admin, ...rows)).location).toBe(location);
    expect((await admin.get(location)).text).toContain('were uploaded before');
    expect((await admin.get(`${location}/confirm`)).text).toContain('is confirmed already');
    expect(await newest(payoutRunsStream)).toMatchObject({
      type: 'PayoutBatchConfirmed',
      data: { shop_id: own.shopId },
      metadata: { actor: `member:${admin.memberId}` },
    });
    expect((await viewer.get(`${location}/result.csv`)).text).toContain('merchant_operation_id');
  });

  it('wait for a second member where the shop requires one (R24.6, R24.8)', async () => {
    const shopId = await portal.newShop();
    const setting = { payout_batches_need_second_member: true };
    await portal.call(`PATCH /admin/v1/shops/${shopId}`, { body: setting });
    const anna = await portal.member(shopId, 'admin');
    const boris = await portal.member(shopId, 'admin', 'Boris');
    const vera = await portal.member(shopId, 'viewer');
    expect((await anna.get('/payouts')).text).toMatch(/by another admin than.*No files yet/);
    const { location } = await upload(anna, payoutRow(newId()));
    const list = async () => (await vera.get('/payouts')).text.replaceAll(/<[^>]*>/g, ' ');
    await expect.poll(list).toMatch(/Waits for a second member.*A admin/);
    expect((await vera.get('/payouts')).text).toContain(`href="${location}"`);
    const mine = (await anna.get(location)).text;
    expect(mine).toMatch(/waits for a second member.*You uploaded the file.*Whom to ask: Boris\./);
    expect(mine).not.toContain(`${location}/confirm`);
    expect((await vera.get(location)).text).toMatch(/second member.*Admins of the shop confirm/);
    const refused = await anna.get(`${location}/confirm`);
    expect(refused).toMatchObject(pageWith(403, 'A second member is needed'));
    expect(refused.text).toContain(`href="${location}"`);
    const link = linkIn(await anna.do(`/members/${boris.memberId}/link`));
    // Anna herself may have opened the link that she issued for Boris.
    const impostor = portal.visitor();
    expect((await impostor.post('/sign-in', { link })).status).toBe(303);
    expect((await impostor.get(location)).text).toContain('one person may be behind');
    expect((await impostor.get(`${location}/confirm`)).status).toBe(403);
    expect((await boris.get(location)).text).toContain(`${location}/confirm`);
    const done = await boris.do(`${location}/confirm`);
    expect(done.text).toMatch(/The payouts are confirmed\..*Creating payouts/);
    await expect.poll(list).toMatch(/payouts\.csv\s+Creating payouts.*A admin/);
    expect((await anna.get(location)).text).toMatch(/Confirmed by.*Boris/);
  });

  it('name nobody to ask who could not confirm (R24.6)', async () => {
    const shopId = await portal.newShop();
    const setting = { payout_batches_need_second_member: true };
    await portal.call(`PATCH /admin/v1/shops/${shopId}`, { body: setting });
    const anna = await portal.member(shopId, 'admin');
    const { location } = await upload(anna, payoutRow(newId()));
    expect((await anna.get(location)).text).toContain('The shop has no other admin');
    await anna.do('/members/new', { name: 'Dora', role: 'admin' });
    const mine = (await anna.get(location)).text;
    expect(mine).toContain(
      'The other admins signed in with links from the member who uploaded the file',
    );
    await portal.member(shopId, 'admin', 'Boris');
    await expect.poll(async () => (await anna.get(location)).text).toContain('Whom to ask: Boris.');
  });

  /** A shop that may owe that much, and pays cards at 1 %. */
  const payingShop = async (overdraft: string) => {
    const shopId = await portal.newShop('Payer', { overdraft_limits: { RUB: overdraft } });
    const route = {
      type: 'payout',
      method: 'WT_RUB_C2C',
      currency: 'RUB',
      provider: 'sandbox',
      max_amount: '5000.00',
      commission: { percent: '1.00' },
    };
    await portal.call(`PUT /admin/v1/shops/${shopId}/routes`, { body: { routes: [route] } });
    return { shopId, member: await portal.member(shopId, 'admin') };
  };
  const row = (id: string, amount: string, name = '') =>
    `${id},client-7,WT_RUB_C2C,${amount},RUB,2200 1234 5678 9010,${name},`;

  it('show their rows, name and hash before the confirmation, and log who saw them (R24.14)', async () => {
    const { member } = await payingShop('0.00');
    const small = Array.from({ length: 50 }, () => row(newId(), '10.00'));
    const text = payoutFile(...small, row('salary', '1500.00', 'Ivan <Petrov>'));
    const { location } = await uploadText(member, text);
    const hash = createHash('sha256').update(text).digest('hex');
    for (const path of [location, `${location}/confirm`]) {
      const { text: page } = await member.get(path);
      expect(page).toMatch(/payouts\.csv/);
      expect(page).toContain(hash);
      // The largest is in row 52 of the spreadsheet.
      expect(page).toMatch(
        />52<.*1,500\.00.*220012\*{6}9010.*Ivan &lt;Petrov&gt;.*salary.*client-7.*>2<.*10\.00/,
      );
      expect(page).not.toMatch(/2200 1234|22001234/);
      expect(page).not.toContain('scope="row">51<');
    }
    const batch_id = location.split('/').at(-1);
    const isOfFile = (line: string) => line.includes(`"batch_id":"${batch_id}"`);
    const names = `"batch_ids":["${batch_id}"],"shown":"payout_file_names"`;
    const isOfName = (line: string) => line.includes(names) && line.includes(member.memberId);
    expect(portal.accessLog.filter(isOfName)).toHaveLength(2);
    await portal.waitForReadModels();
    expect((await member.get('/payouts')).text).toContain('payouts.csv');
    expect(portal.accessLog.filter(isOfName)).toHaveLength(3);
    const lines = portal.accessLog.filter(isOfFile).map((line) => JSON.parse(line) as object);
    const seen = { log: 'access', member_id: member.memberId, shown: 'payout_rows' };
    const numbers = [51, ...Array.from({ length: 49 }, (_, at) => at + 1)];
    const first = expect.objectContaining({ ...seen, batch_id, rows: numbers });
    expect(lines).toEqual([first, first]);
    expect((await member.get(`${location}?cursor=50`)).text).toContain('scope="row">51<');
    expect(portal.accessLog.filter(isOfFile).at(-1)).toContain('"rows":[50]');
  });

  it('can’t be confirmed once their rows are no longer stored, and show that (R24.10)', async () => {
    const { shopId, member } = await payingShop('0.00');
    const { location } = await upload(member, row(newId(), '10.00'));
    const { store, receiptStore: receipts } = portal;
    const nowMs = Date.now() + 31 * 24 * 60 * 60_000;
    expect(await removeExpiredFiles({ store, receipts }, { shopId, nowMs })).toBe(1);
    const { text } = await member.get(location);
    expect(text).toContain('no longer stored');
    expect(text).not.toContain(`${location}/confirm`);
    const form = await member.get(`${location}/confirm`);
    expect(form.text).toContain('no longer stored');
    expect(form.text).not.toContain('<button class="button primary"');
  });

  it('show commission and total charge, and warn if that exceeds the available balance (R24.13)', async () => {
    const { member } = await payingShop('1000.00');
    const enough = await upload(member, row(newId(), '900.00'));
    const { text } = await member.get(enough.location);
    expect(text).toMatch(/900\.00.*9\.00.*909\.00.*1,000\.00/);
    expect(text).toMatch(/will be ₽909\.00 below zero/);
    const { location } = await upload(member, row(newId(), '1000.00'), row(newId(), '5000.01'));
    for (const path of [location, `${location}/confirm`]) {
      const page = await member.get(path);
      expect(page.text).toMatch(/charge is ₽10\.00 more than is available/);
      expect(page.text).toContain('without a route for their method and amount: 1.');
      // The figures add up.
      const amounts = page.text.replaceAll(/<[^>]+>|\s+/g, ' ');
      expect(amounts).toMatch(/Of these, not charged .*₽5,000\.01 .*₽10\.00 .*₽1,010\.00/);
    }
  });

  it('show what became of their payouts, with links to them, and are green only when all are paid (R24.12)', async () => {
    const { shopId, member } = await payingShop('1000.00');
    const names = [newId(), newId(), newId()];
    const { location } = await upload(member, ...names.map((name) => row(name, '100.00')));
    await member.do(`${location}/confirm`);
    const answers = [acceptance(), { outcome: 'refused', reason: 'no' } as const];
    const payouts = await Promise.all(
      answers.map((answer) => givenPayout(portal.store, { shopId, answer })),
    );
    const batch_id = location.split('/').at(-1) ?? '';
    const operations = [...payouts, newId()];
    const codes = [undefined, 'provider_not_accepted', 'internal_error'];
    const results = names.map((merchant_operation_id, at) => ({
      merchant_operation_id,
      operation_id: operations[at] ?? '',
      ...(codes[at] && { code: codes[at] }),
    }));
    const data = { batch_id, shop_id: shopId, results };
    const events = toNewEvents([{ type: 'PayoutBatchRowsCreated' as const, data }], {
      actor: 'service:test',
      correlationId: 'test',
    });
    await portal.store.append({
      stream: payoutBatchStream(batch_id),
      expectedRevision: 0,
      events,
    });
    await portal.waitForReadModels();
    const { text } = await member.get(location);
    expect(text).toMatch(/badge info.*Payouts in progress/);
    expect(text).not.toContain('badge success');
    expect(text).toMatch(
      />0<\/span\s*><span>Paid<.*>1<\/span\s*><span>In progress<.*>1<\/span\s*><span>Declined</,
    );
    expect(text).toMatch(/refused by the provider.*internal error.*row 4</);
    // The declined one is released before it is shown, the other is still reserved (R12.12).
    expect(await portal.ledgers.position(shopId, 'RUB')).toMatchObject({ reserved: '101.00' });
    const listed = `/operations?file=${batch_id}&amp;status=declined`;
    expect(text).toContain(`href="${listed}"`);
    const list = await member.get(listed.replace('&amp;', '&'));
    expect(list.text).toContain(`/operations/${payouts[1]}`);
    expect(list.text).not.toContain(`/operations/${payouts[0]}`);
    const csv = await member.get(`/operations.csv?file=${batch_id}`);
    expect(csv.text.match(/payout,/g)).toHaveLength(2);
    const result = (await member.get(`${location}/result.csv`)).text;
    expect(result).toMatch(
      /,created,,pending,.*,failed,provider_not_accepted,declined,provider_refused.*,failed,internal_error,,/,
    );
    // Another shop's file narrows the list to nothing.
    expect((await admin.get(`/operations?file=${batch_id}`)).text).toContain('Nothing matches');
  });

  it('mark recipients that were never paid, or paid to another number (R24.16)', async () => {
    const { shopId, member } = await payingShop('1000.00');
    const paidBefore = { same: '2200123456789010', moved: '2200123456789028' };
    const histories = Object.entries(paidBefore).map(async ([clientId, number]) => {
      const operationId = newId();
      const sealer = await testPersonalData(portal.store).sealer({ shopId, clientId });
      const request = sealer.request(operationId, {
        client_id: clientId,
        method: 'WT_RUB_C2C',
        amount: '10.00',
        currency: 'RUB',
        destination: { number, name: 'Ivan' },
      });
      const merchantOperationId = `order-${operationId}`;
      const type = 'payout';
      const routes = [routeOf({ type })];
      return paidHistory({ operationId, shopId, merchantOperationId, type, routes, request });
    });
    const paid = await Promise.all(histories);
    await appendHistories(portal.store, paid);
    await portal.waitForReadModels();
    const rowFor = (client: string) =>
      `${newId()},${client},WT_RUB_C2C,10.00,RUB,2200 1234 5678 9010,Named ${client},`;
    const { location } = await upload(member, ...['same', 'moved', 'first'].map(rowFor));
    for (const path of [location, `${location}/confirm`]) {
      const { text } = await member.get(path);
      expect(text).toContain('that the shop has never paid: 1.');
      const cells = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
      expect(cells).toMatch(/Named same — .*Named moved Other number — .*Named first New — /);
    }
    const logged = portal.accessLog.join('\n');
    for (const { create } of paid) expect(logged).toContain(create.operationId);
  });

  /** A paid payout, as that line of a file would have created it. */
  async function payRow(shopId: string, line: string): Promise<string> {
    const { operationIdSecret } = await readShop(portal.store, shopId);
    const { bodies } = await readPayoutFile(Buffer.from(payoutFile(line)));
    const [body] = bodies;
    if (!body) throw new Error('the row has an error');
    const {
      merchant_operation_id: merchantOperationId,
      client_id,
      method,
      amount,
      currency,
    } = body;
    const { number = '', name } = body;
    const operationId = operationIdFor(Buffer.from(operationIdSecret, 'hex'), merchantOperationId);
    const plain = { client_id, method, amount, currency, destination: { number, name } };
    const sealer = await testPersonalData(portal.store).sealer({ shopId, clientId: client_id });
    const stored = await toStoredRequest({ operationId, body, plain }, async () => sealer);
    const type = 'payout';
    const create = { operationId, shopId, merchantOperationId, type, ...stored } as const;
    await appendHistories(portal.store, [paidHistory({ ...create, routes: [routeOf({ type })] })]);
    await portal.waitForReadModels();
    return operationId;
  }

  it('take a row that equals a payout for that payout, and mark it (R24.15)', async () => {
    const { shopId, member } = await payingShop('1000.00');
    const paid = row(newId(), '100.00', 'Ivan');
    const operationId = await payRow(shopId, paid);
    // Its number is compared under the key of its client.
    for (const changed of [paid.replace('9010', '9028'), paid.replace('100.00', '100.01')]) {
      const { location } = await upload(member, changed);
      expect((await member.get(location)).text).toMatch(/With errors.*has this ID already/);
    }
    const { location } = await upload(member, paid, row(newId(), '50.00'));
    for (const path of [location, `${location}/confirm`]) {
      const { text } = await member.get(path);
      expect(text).toContain('an operation has already: 1.');
      expect(text).toContain('<strong>₽50.50<');
      const cell = `<a href="/operations/${operationId}">.*Exists already, will not be paid again`;
      expect(text).toMatch(new RegExp(cell));
      expect(text.split('Exists already')).toHaveLength(2);
    }
  });

  it('log with which operation a row was compared, also where it is not the last one paid (R24.15)', async () => {
    const { shopId, member } = await payingShop('1000.00');
    const paid = row(newId(), '100.00', 'Ivan');
    const operationId = await payRow(shopId, paid);
    await payRow(shopId, row(newId(), '100.00', 'Ivan'));
    const { location } = await upload(member, paid);
    const logged = () => portal.accessLog.filter((line) => line.includes(operationId));
    expect(logged()).toEqual([]);
    await member.get(location);
    expect(logged().map((line): unknown => JSON.parse(line))).toMatchObject([
      { log: 'access', member_id: member.memberId, operation_id: operationId, shown: 'operation' },
    ]);
  });

  it('name rows whose ID an operation has: as errors, later in a warning, at last with a link (R24.15)', async () => {
    const { shopId, member } = await payingShop('1000.00');
    const { operationIdSecret } = await readShop(portal.store, shopId);
    const names = [newId(), newId(), newId()];
    const operations = names.map((name) =>
      operationIdFor(Buffer.from(operationIdSecret, 'hex'), name),
    );
    const rows = names.map((name) => row(name, '100.00'));
    const pay = async (at: number) => {
      const [operationId = '', merchantOperationId = ''] = [operations[at], names[at]];
      await appendHistories(portal.store, [
        paidHistory({ operationId, shopId, merchantOperationId }),
      ]);
      await portal.waitForReadModels();
    };
    await pay(0);
    const refused = await upload(member, ...rows);
    const { text: faulty } = await member.get(refused.location);
    expect(faulty).toMatch(/With errors.*>A2<.*merchant_operation_id.*has this ID already/);
    expect(faulty).toContain(`<a href="/operations/${operations[0]}">Open the operation</a>`);
    expect(faulty).not.toContain('scope="row">3<');
    expect((await upload(member, ...rows)).location).toBe(refused.location);
    const { location } = await upload(member, ...rows.slice(1));
    expect((await member.get(location)).text).toMatch(/<strong>₽202\.00</);
    await pay(1);
    for (const path of [location, `${location}/confirm`]) {
      const page = (await member.get(path)).text;
      expect(page).toContain('an operation has already: 1.');
      expect(page).toContain('Another operation has this ID');
      expect(page).toContain('<strong>₽101.00<');
    }
    await member.do(`${location}/confirm`);
    const batch_id = location.split('/').at(-1) ?? '';
    const results = [1, 2].map((at) => ({
      merchant_operation_id: names[at] ?? '',
      operation_id: operations[at] ?? '',
      code: 'idempotency_body_mismatch',
    }));
    const data = { batch_id, shop_id: shopId, results };
    const events = toNewEvents([{ type: 'PayoutBatchRowsCreated' as const, data }], {
      actor: 'service:test',
      correlationId: 'test',
    });
    await portal.store.append({ stream: payoutBatchStream(batch_id), expectedRevision: 0, events });
    const { text } = await member.get(location);
    // The key of the second row was only claimed: no operation can be opened.
    expect(text).toMatch(new RegExp(`<a href="/operations/${operations[1]}">2</a\\s*>, 3<`));
    // Its own payouts are no reason to refuse it.
    expect((await upload(member, ...rows.slice(1))).location).toBe(location);
  });

  it('name all errors of a row whose ID an operation has (R24.15)', async () => {
    const { shopId, member } = await payingShop('1000.00');
    const used = newId();
    const operationId = await payRow(shopId, row(used, '100.00'));
    const errorsOf = async (id: string) => {
      const { location } = await upload(member, row(id, '100'));
      const { text } = await member.get(location);
      return ['two decimals', 'has this ID already', operationId].map((part) =>
        text.includes(part),
      );
    };
    expect(await errorsOf(used)).toEqual([true, true, true]);
    // Another ID is another file.
    expect(await errorsOf(newId())).toEqual([true, false, false]);
  });

  it('have a template with the columns and no row', async () => {
    const { text } = await viewer.get('/payouts/template.csv');
    expect(text.trim()).toBe(payoutFile());
    const page = (await viewer.get('/payouts')).text;
    expect(page).toMatch(/WT_RUB_PHONE.*sberbank/);
  });

  it('are taken as Excel saves them, and have a template that a Russian one opens (R24.17)', async () => {
    const template = (await viewer.get('/payouts/template.csv?lang=ru')).text;
    expect(template).toMatch(/^merchant_operation_id;client_id;/);
    const rows = [template.trim(), payoutRow(newId()).replaceAll(',', ';').replace('.', ',')];
    const first = await uploadText(admin, rows.join('\r\n'));
    const shown = (await admin.get(first.location)).text;
    expect(shown).toMatch(/Waits for confirmation.*Rows of the file/);
    const workbook = workbookFile(rows.map((line) => line.split(';')));
    const again = await uploadText(admin, Uint8Array.from(workbook));
    expect(again.location).toBe(first.location);
    expect((await admin.get(first.location)).text).toContain('were uploaded before');
  });

  it('with errors show each error by its cell in a spreadsheet, and can’t be confirmed (R24.5)', async () => {
    const { location } = await upload(admin, 'order-1,c,WT_RUB_C2C,1,RUB,,,');
    const { text } = await admin.get(location);
    expect(text).toMatch(
      />D2<.*amount.*two decimals.*>F2<.*number.*card or phone number is missing/,
    );
    // There is no total of the valid rows alone.
    expect(text).not.toContain('Total charge');
    expect(text).not.toContain('Confirm the payouts');
    expect((await admin.get(`${location}/confirm`)).status).toBe(412);
  });

  it('are rejected with the reason if they are not CSV, and with 403 from a viewer', async () => {
    const refused = await uploadText(admin, '<html>');
    expect(refused).toMatchObject(pageWith(400, 'The file can’t be read'));
    expect((await uploadText(viewer, '<html>')).status).toBe(403);
  });
});

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { sql } from 'kysely';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  acceptance,
  append,
  cancelled,
  givenPayment,
  paymentRoute,
} from '#services/processor/testing/operations.ts';
import { recordReturn } from '#services/processor/testing/record-late.ts';
import { createFakeProvider } from '#services/processor/testing/fake-provider.ts';
import { evidenceStream } from '#shared/domain/evidence/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { providerStream } from '#shared/domain/provider/events.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { newId } from '#shared/platform/ids.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import {
  sealedRequisites,
  testPersonalData,
} from '#shared/application/personal-data/testing/personal-data.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { tokens } from '../testing/admin.ts';
import { hashRoutes } from '#shared/application/shops/routes-version.ts';
import { toFormValues } from './routes/values.ts';
import { fixedToken } from '../api/authentication.ts';
import { consoleSections } from './pages.ts';
import { useConsole } from './testing/console.ts';
import { hidden, visitorAt, type Visitor, pageWith } from './testing/visitor.ts';

const console = useConsole();
let admin: Visitor;
let auditor: Visitor;
beforeAll(async () => {
  [admin, auditor] = [await console.visitor(tokens.admin), await console.visitor(tokens.auditor)];
});

const newShop = (name = 'Books') => console.newShop(name);
const typesOf = async (stream: string) =>
  (await console.store.read(stream)).map(({ type }) => type);

/** The form of a first route. */
const newRouteForm = () => ({
  ...toFormValues([routeSchema.parse(paymentRoute)]),
  '0_was': '',
  seen: hashRoutes([]),
});

const shopOf = (shopId: string) => readShop(console.store, shopId);

/** Sends a request that never reaches the app, because its path has a segment of dots. */
async function unreadRequest(headers: Record<string, string>) {
  const { port } = console;
  const sent = request({ port, host: '127.0.0.1', path: '/a/../b', headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { 'content-type': type, 'content-security-policy': policy } = response.headers;
  return { status: response.statusCode, type, policy, text: await textOf(response) };
}

describe('a session', () => {
  test('is an HttpOnly, SameSite=Strict cookie, and its pages have a strict content security policy', async () => {
    const visitor = await console.visitor();
    const { headers, location } = await visitor.signIn(tokens.operator);
    expect(location).toBe('/');
    expect(headers.get('set-cookie')).toMatch(
      /^console_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const page = await visitor.get('/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    const foreign =
      /<script(?! type="module" src="\/assets\/)|\sstyle=|\son\w+=|https?:\/\/(?!127\.)/;
    expect(page.text).not.toMatch(foreign);
    // The headers of a request are limited to 16 KiB.
    const unread = await unreadRequest({ cookie: 'x'.repeat(17_000) });
    expect([unread.status, unread.type]).toEqual([400, 'text/html; charset=utf-8']);
    expect(unread.text).toContain('The request could not be read');
    expect(unread.text).not.toMatch(foreign);
    expect(unread.policy).toBe(page.headers.get('content-security-policy'));
    for (const host of ['127.0.0.1', 'a b@c:99999'])
      expect((await unreadRequest({ host, accept: '*/*' })).type).toBe('application/problem+json');
    const russian = await unreadRequest({ accept: 'text/html', 'accept-language': 'ru' });
    expect(russian.text).toContain('Запрос не удалось прочитать');
  });

  test('leads to the requested page after sign-in, and never to another site', async () => {
    const visitor = await console.visitor();
    const { location } = await visitor.get('/operations?status=pending');
    expect(location).toBe('/sign-in?to=%2Foperations%3Fstatus%3Dpending');
    for (const [to, expected] of [
      ['/operations?status=pending', '/operations?status=pending'],
      ['//elsewhere.example', '/'],
    ] as const) {
      const signedIn = await visitor.post('/sign-in', { token: tokens.auditor, to });
      expect([to, signedIn.location]).toEqual([to, expected]);
    }
  });

  test('ends at once when its token is revoked or its holder signs out (R16.14)', async () => {
    const issued = await console.issueToken('vera', 'operator');
    const visitor = await console.visitor(issued.token);
    expect((await visitor.get('/projections')).status).toBe(200);
    await console.call(`DELETE /admin/v1/tokens/${issued.token_id}`);
    const toSignIn = { status: 303, location: '/sign-in?to=%2Fprojections' };
    expect(await visitor.get('/projections')).toMatchObject(toSignIn);
    expect((await visitor.signIn(issued.token)).status).toBe(401);

    const other = await console.visitor(tokens.operator);
    const cookie = other.cookie();
    await other.post('/sign-out', { form_token: await other.formToken() });
    expect((await other.get('/projections', { cookie })).status).toBe(303);
  });

  test('shows the valid tokens that a token has issued before it is revoked (R16.3)', async () => {
    const leaver = await console.issueToken('leaving admin', 'admin');
    const path = `/operators/${leaver.token_id}/revoke`;
    const visitor = await console.visitor(tokens.admin);
    expect((await visitor.get(path)).text).not.toContain('Issued by');
    const valid = await console.issueToken('a colleague', 'operator', leaver);
    const revoked = await console.issueToken('revoked before', 'operator', leaver);
    await console.call(`DELETE /admin/v1/tokens/${revoked.token_id}`);
    const { text } = await visitor.get(path);
    expect(text).toContain('Issued by leaving admin, still valid after this');
    expect(text).toContain(`a colleague (…${valid.token.slice(-4)})`);
    expect(text).not.toContain('revoked before');
  });

  test.each([
    ['an action', async () => `/shops/${await newShop()}/keys/new`],
    ['a review of several', () => Promise.resolve('/review/several')],
  ])('rejects the form of %s if the token is revoked while it arrives', async (_name, pathOf) => {
    const path = await pathOf();
    const issued = await console.issueToken('slow', 'admin');
    const visitor = await console.visitor(issued.token);
    const form_token = await visitor.formToken();
    const posted = await visitor.post(
      path,
      { form_token, label: 'slow', scopes: 'all' },
      {},
      async () => {
        // Wait until the service has read the session: otherwise it redirects to the sign-in. Later
        // requests of the visitor go through the same steps, so their responses come after that.
        for (let later = 0; later < 3; later += 1) await visitor.get('/projections');
        await console.call(`DELETE /admin/v1/tokens/${issued.token_id}`);
      },
    );
    expect(posted.status).toBe(403);
  });

  test('rejects a form from another site, and one without its own form token', async () => {
    const shopId = await newShop();
    const path = `/shops/${shopId}/keys/new`;
    const form_token = await admin.formToken();
    const values = { label: 'x', scopes: 'all', confirmed: 'yes', once: newId() };
    const foreign = await auditor.formToken();
    const statusOf = async (token: string, headers: Record<string, string> = {}) =>
      (await admin.post(path, { ...values, form_token: token }, headers)).status;
    expect(await statusOf(form_token, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect([await statusOf(''), await statusOf(foreign)]).toEqual([403, 403]);
    expect(await typesOf(shopStream(shopId))).toEqual(['ShopCreated']);
  });
});

test('sessions on two instances end with a rotated first token, and are rejected if their row was altered', async () => {
  const other = await console.startInstance();
  onTestFinished(other.stop);
  const holder = { name: 'alice', role: 'admin' } as const;
  const changed = fixedToken('the-first-token-as-it-is-from-now-on', holder);
  const restarted = await console.startInstance({ fixedTokens: [changed] });
  onTestFinished(restarted.stop);
  const alice = await console.visitor(tokens.admin);
  const statusAt = async ({ port }: { port: number }) =>
    (await visitorAt(port).get('/projections', { cookie: alice.cookie() })).status;
  expect([await statusAt(other), await statusAt(restarted)]).toEqual([200, 303]);
  // The first instance still has the previous token.
  expect(await statusAt(console)).toBe(200);

  const vera = await console.visitor(tokens.auditor);
  const raised = await console.db
    .updateTable('console.session')
    .set({ token: 'fixed:alice' })
    .where('session_hash', '=', hash('sha256', vera.cookie().split('=')[1] ?? '', 'hex'))
    .executeTakeFirst();
  expect(raised.numUpdatedRows).toBe(1n);
  expect((await vera.get(`/shops/${await newShop()}/keys/new`)).status).toBe(403);
});

describe('the console', () => {
  test('confirms an action first, names the recorded event, and shows a secret once', async () => {
    const shopId = await newShop();
    const path = `/shops/${shopId}/keys/new`;
    const form_token = await admin.formToken();
    const confirmation = await admin.post(path, { label: 'server 1', scopes: 'all', form_token });
    expect(confirmation.text).toContain('POST /admin/v1/shops/');
    expect(await typesOf(shopStream(shopId))).toEqual(['ShopCreated']);

    const confirmed = { confirmed: 'yes', once: hidden(confirmation.text, 'once') };
    const sent = { label: 'server 1', scopes: 'all', form_token, ...confirmed };
    // A double click: both requests arrive, and one takes effect.
    const [first, second] = await Promise.all([admin.post(path, sent), admin.post(path, sent)]);
    expect([first.location, second.location]).toEqual([`/shops/${shopId}`, `/shops/${shopId}`]);
    const events = await console.store.read(shopStream(shopId));
    expect(events.map(({ type }) => type)).toEqual(['ShopCreated', 'ApiKeyIssued']);
    expect(events[1]?.metadata).toMatchObject({ actor: 'operator:alice', token_id: 'first' });
    const shown = await admin.get(`/shops/${shopId}`);
    const [key] = /gw_\w{40}/.exec(shown.text) ?? [];
    expect(key).toBeDefined();
    for (const part of ['ApiKeyIssued', shopStream(shopId), 'revision 1', events[1]?.id ?? '?'])
      expect(shown.text).toContain(part);
    expect((await admin.get(`/shops/${shopId}`)).text).not.toContain('gw_');
    // A repeat, as after the back button.
    expect((await admin.post(path, sent)).location).toBe(`/shops/${shopId}`);
    expect((await console.store.read(shopStream(shopId))).length).toBe(2);
  });

  test('shows a form again with its errors, and records nothing', async () => {
    const shopId = await newShop();
    const path = `/shops/${shopId}/routes/edit`;
    const form = newRouteForm();
    const broken = await admin.act(path, { ...form, '0_options': '{"a": 1,\n}' });
    expect(broken).toMatchObject(pageWith(400, 'not valid JSON'));
    for (const part of ['line 2', 'aria-invalid="true"']) expect(broken.text).toContain(part);
    const wrong = await admin.act(path, { ...form, '0_provider': '<b>absent</b>', '0_min': '<i>' });
    for (const field of ['0_provider', '0_min'])
      expect(wrong.text).toContain(`id="a-${field}-error"`);
    expect(wrong.text).not.toContain('<i>');
    expect(wrong.text).toContain('&lt;i&gt;');
    expect(await typesOf(shopStream(shopId))).toEqual(['ShopCreated']);
    const set = await admin.act(path, form);
    expect(set.text).toContain('RoutesReplaced');
    // Based on an earlier version of the routes, which another operator may have changed.
    const stale = { ...form, '0_percent': '9.99' };
    const conflict = 'The routes have changed in the meantime';
    expect((await admin.act(path, stale)).text).toContain(conflict);
    // The command itself rejects a change that was made while the confirmation was open.
    const routed = await typesOf(shopStream(shopId));
    const sent = { ...stale, form_token: await admin.formToken(), confirmed: 'yes', once: newId() };
    const late = await admin.post(path, sent);
    expect(late).toMatchObject(pageWith(400, conflict));
    expect(await typesOf(shopStream(shopId))).toEqual(routed);
    const current = toFormValues((await shopOf(shopId)).routes);
    expect((await admin.act(path, current)).text).toContain('no new events were written');
    const dearer = { ...current, '0_percent': '3.5', '0_priority': '2' };
    const shown = await admin.post(path, { ...dearer, form_token: await admin.formToken() });
    for (const part of ['1.00 → 3.5', 'Priority: 1 → 2', 'nothing to estimate'])
      expect(shown.text).toContain(part);
    expect((await admin.act(path, dearer)).text).toContain('RoutesReplaced');
    const changed = { priority: 2, commission: { percent: '3.5' } };
    expect((await shopOf(shopId)).routes).toMatchObject([changed]);
    // A repeat has no effect, and is not a conflict.
    const cheaper = { ...toFormValues((await shopOf(shopId)).routes), '0_percent': '2.5' };
    const twice = { ...cheaper, form_token: sent.form_token, confirmed: 'yes', once: newId() };
    for (let time = 0; time < 2; time += 1)
      expect((await admin.post(path, twice)).status).toBe(303);
  });

  test('estimates the effect of new routes on recent operations', async () => {
    const shopId = await newShop();
    for (const accepted of [true, true, false]) {
      const refusal = { outcome: 'refused', reason: 'limit' } as const;
      await givenPayment(console.store, { shopId, answers: [accepted ? acceptance() : refusal] });
    }
    await console.waitForReadModels();
    const form = newRouteForm();
    const form_token = await admin.formToken();
    const { text } = await admin.post(`/shops/${shopId}/routes/edit`, { ...form, form_token });
    expect(text).toContain('This is an estimate');
    // The acceptance rate includes other tests' payments: one to three are accepted, none before.
    expect(text).toMatch(/sandbox<\/th><td[^>]*>≈ 0<\/td><td[^>]*>≈ [123]<\/td>/);
    expect(text).toContain('Newest operations used: 3.');
  });

  test('sets daily limits of routes, and shows their use and a full route', async () => {
    const shopId = await newShop();
    const routes = [
      routeSchema.parse({ ...paymentRoute, daily_count: 2, daily_amount: '5000.00' }),
      routeSchema.parse({ ...paymentRoute, priority: 2, provider: 'other' }),
    ];
    await console.call(`PUT /admin/v1/shops/${shopId}/routes`, { body: { routes: [routes[0]] } });
    for (let index = 0; index < 2; index += 1)
      await givenPayment(console.store, { shopId, routes, answers: [acceptance()] });
    const refusal = { outcome: 'refused', reason: 'limit' } as const;
    await givenPayment(console.store, { shopId, routes, answers: [refusal] });
    await console.waitForReadModels();
    const page = (await auditor.get(`/shops/${shopId}`)).text.replaceAll('\u00a0', ' ');
    expect(page).toContain('2 / 2');
    expect(page).toMatch(/200\.00\D* \/ \D*5,000\.00/);
    const confirmation = 'type=payment&method=WT_RUB_C2C&currency=RUB&amount=1.00';
    const candidates = `GET /admin/v1/shops/${shopId}/route-candidates?${confirmation}`;
    const others = [{ reason: 'route_full', daily_count: 2 }];
    expect((await console.call(candidates)).body).toMatchObject({ candidates: [], others });
    const { text } = await auditor.get(`/shops/${shopId}/routes/try?${confirmation}`);
    expect(text).toContain('its limit for today (UTC) is reached');
    const form = { ...toFormValues(routes.slice(0, 1)), '0_dailyCount': '0' };
    const form_token = await admin.formToken();
    const faulty = await admin.post(`/shops/${shopId}/routes/edit`, { ...form, form_token });
    expect(faulty).toMatchObject(pageWith(400, 'Route 1'));
  });

  test('shows the health of a provider by route, bank and reason, and its breakers', async () => {
    const shopId = await newShop();
    const refusal = { outcome: 'refused', reason: 'limit of <today>' } as const;
    const noAnswer = { outcome: 'unknown', cause: 'timeout' } as const;
    for (const answer of [acceptance(), refusal, noAnswer])
      await givenPayment(console.store, { shopId, answers: [answer] });
    const byAnother = [{ ...paymentRoute, account: 'health-2' }];
    await givenPayment(console.store, { shopId, answers: [acceptance()], routes: byAnother });
    await console.waitForReadModels();
    type Listed = { figures: string; providers: Record<string, unknown>[] };
    const { body } = await console.call<Listed>('GET /admin/v1/providers?hours=1');
    expect(body.figures).toBe('read');
    const sandbox = body.providers.find(({ provider }) => provider === 'sandbox') ?? {};
    type Health = Record<'attempts' | 'accepted' | 'refused' | 'unknown', number>;
    const { attempts, accepted, refused, unknown } = sandbox['health'] as Health;
    expect(Math.min(accepted, refused, unknown)).toBeGreaterThan(0);
    expect(accepted + refused + unknown).toBeLessThanOrEqual(attempts);
    const sumOf = (rows: unknown) =>
      (rows as { attempts: number }[]).reduce((sum, row) => sum + row.attempts, 0);
    expect(sumOf(sandbox['by_route'])).toBe(attempts);
    expect(sumOf(sandbox['by_bank'])).toBe(attempts);
    const another = { account: 'health-2', priority: 1, attempts: 1, accepted: 1 };
    expect(sandbox['by_route']).toContainEqual(expect.objectContaining(another));
    const { rows } = await sql`
      select account, attempts::int, accepted::int from gateway.provider_health_by_day where account <> 'default'`.execute(
      console.db,
    );
    expect(rows).toContainEqual({ account: 'health-2', attempts: 1, accepted: 1 });
    const reason = { outcome: 'refused', reason: 'limit of <today>', count: 1 };
    expect(sandbox['reasons']).toContainEqual(reason);
    const ofPayouts = { provider: 'sandbox', type: 'payout' };
    const breakerEvents = [
      { type: 'ProviderBreakerOpened', data: { ...ofPayouts, calls: 25, unknown: 22 } },
      { type: 'ProviderBreakerClosed', data: { ...ofPayouts, type: 'payment' } },
    ];
    const origin = { actor: 'service:merchant-api', correlationId: 'test' };
    const events = toNewEvents(breakerEvents, origin);
    await console.store.append({ stream: providerStream('sandbox'), expectedRevision: -1, events });
    const after = await console.call<{ providers: object[] }>('GET /admin/v1/providers');
    const breakers = {
      payment: { state: 'closed', since: expect.stringMatching(/Z$/) },
      payout: { state: 'failing', since: expect.stringMatching(/Z$/), calls: 25, unknown: 22 },
    };
    expect(after.body.providers).toContainEqual(expect.objectContaining({ breakers }));
    const { text } = await auditor.get('/providers?window=month');
    const shown = ['failing: skipped', 'limit of &lt;today&gt;', 'sandbox: by bank'];
    for (const part of [...shown, ', 1 / health-2']) expect(text).toContain(part);
    expect((await console.call('GET /admin/v1/providers?hours=721')).status).toBe(400);
  });

  test('names the recorded event of a token, and shows the token', async () => {
    const values = { name: 'boris', role: 'auditor', expires_in_s: '86400' };
    const { text } = await admin.act('/operators/new', values);
    expect(text).toMatch(/AdminTokenIssued[\s\S]*adm_\w{40}/);
  });
});

describe('personal data', () => {
  test('is erased by an action, which terminal operations offer', async () => {
    const shopId = await newShop();
    const [open, ended] = [
      await givenPayment(console.store, { shopId, answers: [acceptance()] }),
      await givenPayment(console.store, { shopId, answers: [acceptance()], after: [cancelled] }),
    ];
    await console.waitForReadModels();
    const offer = `/shops/${shopId}/erasures/new?client_id=c`;
    expect((await admin.get(`/operations/${open}`)).text).not.toContain(offer);
    expect((await admin.get(`/operations/${ended}`)).text).toContain(offer);
    expect((await auditor.get(`/operations/${ended}`)).text).not.toContain(offer);
    const path = `/shops/${shopId}/erasures/new`;
    const refused = await admin.act(path, { client_id: 'c' });
    expect(refused.text).toContain('role="alert"');
    const revision = (await console.store.read(operationStream(open))).length - 1;
    await append(console.store, open, { events: [cancelled], expectedRevision: revision });
    await console.waitForReadModels();
    const requested = await admin.act(path, { client_id: 'c' });
    expect(requested.text).toContain('PersonalDataErasureRequested');
  });

  test('is shown as erased', async () => {
    const shopId = await newShop();
    const client = { shopId, clientId: 'c' };
    const sealer = await testPersonalData(console.store).sealer(client);
    const requisites = { number: '4111111111111111', name: 'IVAN' };
    const sealed = sealedRequisites(sealer, { operationId: 'x', attempt: 1 }, requisites);
    const answer = { ...acceptance(), requisites: sealed };
    const id = await givenPayment(console.store, { shopId, answers: [answer], after: [cancelled] });
    await console.store.tombstone(personalKeyStream(personalKeyId(client, 0)));
    const { text, status } = await admin.get(`/operations/${id}`);
    expect(status).toBe(200);
    for (const part of ['Personal data erased', 'requisites.erased']) expect(text).toContain(part);
    expect(text).not.toContain('erasures/new');
    expect(text).not.toMatch(/v1\.[\w-]{22}\./);
  });
});

describe('pages', () => {
  test('escape all values', async () => {
    const evil = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`;
    const shopId = await newShop(evil);
    const refusal = { outcome: 'refused', reason: evil } as const;
    const id = await givenPayment(console.store, { shopId, answers: [refusal, acceptance()] });
    await console.waitForReadModels();
    const search = `/operations?q=${encodeURIComponent(evil)}`;
    const showing = ['/shops', `/shops/${shopId}`, '/operations', `/operations/${id}`, search];
    for (const path of [...showing, `/shops/${shopId}/messages`]) {
      const { status, text } = await auditor.get(path);
      const isUnescaped = text.includes('<script>alert') || text.includes('<img src=x');
      expect({ path, status, isUnescaped }).toEqual({ path, status: 200, isUnescaped: false });
      expect([path, path.includes('/messages') || text.includes('&lt;script&gt;')]).toEqual([
        path,
        true,
      ]);
    }
  });

  test('offer an auditor no action', async () => {
    const shopId = await newShop();
    await console.waitForReadModels();
    const action = /href="[^"]*\/(new|edit|settings|revoke|rotate|ping|redeliver|resolve)[^"]*"/;
    const ofShop = [`/shops/${shopId}`, `/shops/${shopId}/ledger/RUB`];
    for (const path of ['/shops', '/operators', '/suspense', ...ofShop]) {
      const { text } = await auditor.get(path);
      expect([path, action.exec(text)?.[0]]).toEqual([path, undefined]);
      expect((await admin.get(path)).status).toBe(200);
    }
    expect((await admin.get(`/shops/${shopId}`)).text).toContain(`/shops/${shopId}/keys/new`);
  });

  test('offer an operator the commands of daily work only', async () => {
    const shopId = await console.newShopWithWebhook();
    const { text } = await (await console.visitor(tokens.operator)).get(`/shops/${shopId}`);
    expect(text).toContain(`/shops/${shopId}/webhook/ping`);
    expect(text).not.toMatch(/href="[^"]*\/(new|edit|settings|revoke|rotate)[^"]*"/);
  });

  test('offer to resend webhooks only if there are any, one or all that match', async () => {
    const shopId = await console.newShopWithWebhook();
    await console.waitForReadModels();
    const list = `/shops/${shopId}/messages`;
    const { text } = await admin.get(list);
    expect(text).not.toContain('/redeliver');
    expect(text).toContain('There are no deliveries yet.');
    const values = { status: 'exhausted', form_token: await admin.formToken() };
    const refused = await admin.post(`${list}/redeliver`, values);
    expect(refused).toMatchObject(pageWith(400, 'No delivery matches the filter.'));
    expect(refused.text).not.toContain('name="confirmed"');

    const messageId = await ping(console.db, { shopId });
    const exhaust = () =>
      sql`update webhooks.message set status = 'exhausted', due_at = null, finished_at = now()
        where message_id = ${messageId}`.execute(console.db);
    await exhaust();
    const one = `${list}/${messageId}/redeliver`;
    expect((await admin.get(list)).text).toContain(`href="${one}"`);
    expect((await admin.act(one)).text).toContain('WebhookRedeliveryRequested');
    await exhaust();
    const shown = (await admin.post(`${list}/redeliver`, values)).text;
    expect(shown).toMatch(/Webhooks<\/dt>\s*<dd>(<[^>]*>)*1</);
    const done = await admin.act(`${list}/redeliver`, { status: 'exhausted' });
    expect(done.text).toMatch(/Webhooks being resent: 1\..*WebhookRedeliveriesRequested/);
  });

  test('list each operation once over all pages', async () => {
    const shopId = await newShop('Many');
    const created = await Promise.all(
      Array.from({ length: 53 }, () => givenPayment(console.store, { shopId })),
    );
    await console.waitForReadModels();
    const listed: string[] = [];
    let path: string | undefined = `/operations?shop=${shopId}`;
    for (let pages = 0; path !== undefined && pages < 5; pages += 1) {
      const { text }: { text: string } = await auditor.get(path);
      listed.push(
        ...[...text.matchAll(/href="\/operations\/([0-9a-f-]{36})"/g)].map(([, id]) => id ?? ''),
      );
      path = /href="([^"]*)">Next page/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(listed.length).toBe(53);
    expect(listed.toSorted()).toEqual(created.toSorted());
    const ofShop = [`/shops/${shopId}/messages`, `/shops/${shopId}/ledger/RUB`];
    for (const list of ['/operations', '/shops', '/suspense', ...ofShop])
      expect([list, (await auditor.get(`${list}?cursor=%00x`)).status]).toEqual([list, 400]);
    expect((await auditor.get('/suspense?shop=%00&status=%00')).status).toBe(200);
  });
});

describe('an operation', () => {
  const requisites = { number: '4111111111111111', name: 'IVAN' };
  const accepted = { ...acceptance(), providerReference: `sbx-${newId()}`, requisites };

  test('is found by any of its identifiers', async () => {
    const shopId = await newShop();
    const id = await givenPayment(console.store, { shopId, answers: [accepted] });
    await console.waitForReadModels();
    const byId = await auditor.get(`/operations?q=${id.toUpperCase()}`);
    expect(byId.location).toBe(`/operations/${id}`);
    for (const [text, by] of [
      [`order-${id.slice(0, 20)}`, '>Merchant operation ID<'],
      [accepted.providerReference, '>provider reference<'],
    ] as const) {
      const found = await auditor.get(`/operations?q=${encodeURIComponent(text)}`);
      expect(found.text).toContain(`/operations/${id}`);
      expect(found.text).toContain(by);
    }
    expect((await auditor.get(`/operations?q=${shopId}`)).location).toBe(`/shops/${shopId}`);
    expect((await auditor.get('/operations?q=nothing-has-this')).text).toContain('Nothing found');
  });

  test('is shown at any revision with masked numbers', async () => {
    const shopId = await newShop();
    const id = await givenPayment(console.store, { shopId, answers: [accepted] });
    const statusIn = (text: string) => /<dt>status<\/dt><dd>(\w+)/.exec(text)?.[1];
    const [earlier, current] = [
      await auditor.get(`/operations/${id}?revision=1`),
      await auditor.get(`/operations/${id}`),
    ];
    expect([statusIn(earlier.text), statusIn(current.text)]).toEqual(['creating', 'pending']);
    expect(earlier.text).toContain('State at revision 1 of 2');
    expect(earlier.text).toContain('&quot;type&quot;: &quot;OperationAdmitted&quot;');
    expect(earlier.text).toContain(`href="/operations/${id}#state" rel="next"`);
    expect(current.text).toContain('411111******1111');
    for (const { text } of [earlier, current]) expect(text).not.toContain(requisites.number);
    expect((await auditor.get(`/operations/${id}?revision=99`)).text).toContain('State now');
    expect((await auditor.get(`/operations/${newId()}`)).status).toBe(404);
  });

  test('can be closed by an admin after a confirmation', async () => {
    const shopId = await newShop();
    const [id, recent] = [
      await givenPayment(console.store, { shopId, answers: [acceptance()], acceptInMs: -1 }),
      await givenPayment(console.store, { shopId, answers: [acceptance()] }),
    ];
    const path = `/operations/${id}/close`;
    const offered = async (visitor: Visitor, operationId: string) => {
      const page = `/operations/${operationId}`;
      return (await visitor.get(page)).text.includes(`href="${page}/close"`);
    };
    expect(await offered(admin, id)).toBe(true);
    expect([await offered(admin, recent), await offered(auditor, id)]).toEqual([false, false]);
    const form_token = await admin.formToken();
    const confirmation = await admin.post(path, { note: 'gone', form_token });
    expect(confirmation.text).toContain('Nothing has changed yet');
    expect((await console.store.read(operationStream(id))).at(-1)?.type).toBe('AttemptAccepted');
    const done = await admin.act(path, { note: 'gone' });
    for (const text of ['The operation is closed.', 'CloseDecided', 'OperationDeclined'])
      expect(done.text).toContain(text);
    const again = await admin.act(path, { note: 'gone' });
    expect(again).toMatchObject(pageWith(400, 'can not be closed manually'));
  });

  test('is in the queue with its receipt until an operator decides', async () => {
    const shopId = await newShop();
    const pdf = newId();
    const sha256 = hash('sha256', '%PDF', 'hex');
    const flagged = (receipt_id: string): OperationEvent[] => [
      { type: 'ReceiptUploaded', data: { receipt_id, sha256, size_bytes: 4, pdf: true } },
      { type: 'ManualCheckStarted', data: { receipt_id, reason: 'potential_fake' } },
    ];
    const payment = { shopId, answers: [acceptance()] };
    const id = await givenPayment(console.store, { ...payment, after: flagged(pdf) });
    const twin = await givenPayment(console.store, { ...payment, after: flagged(newId()) });
    console.receipts.set(receiptKey(id, pdf), Buffer.from('%PDF'));
    await console.waitForReadModels();

    const page = await auditor.get(`/review?operation=${id}`);
    expect(page.text).toContain(`<iframe src="/operations/${id}/receipts/${pdf}#`);
    expect(page.headers.get('content-security-policy')).toContain("frame-src 'self'");
    // The same file was uploaded for the other operation.
    expect(page.text).toContain(`/operations/${twin}`);
    expect(page.text).not.toContain('name="decision"');
    const file = await auditor.get(`/operations/${id}/receipts/${pdf}`);
    expect(file.headers.get('content-type')).toBe('application/pdf');
    expect(file.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");

    const operator = await console.visitor(tokens.operator);
    const path = `/operations/${id}/review`;
    // A receipt that may be forged is not requested again.
    expect((await operator.act(path, { decision: 'ask_again', note: 'x' })).status).toBe(400);
    const approval = { decision: 'approve', actual_amount: '60.00', note: 'seen' };
    const done = await operator.act(path, approval);
    const events = ['ReviewDecided', 'OperationPartiallyCompleted', 'EntryPosted'];
    for (const part of [...events, operationStream(id)]) expect(done.text).toContain(part);
    expect((await operator.act(path, { decision: 'approve', note: 'again' })).status).toBe(400);
  });
});

test('every section is in the chosen language', async () => {
  const visitor = await console.visitor(tokens.auditor);
  for (const { path } of consoleSections) {
    const [en, ru] = [await visitor.get(`${path}?lang=en`), await visitor.get(`${path}?lang=ru`)];
    expect([path, en.status, ru.status]).toEqual([path, 200, 200]);
    expect(en.text).toContain('<html lang="en"');
    expect(ru.text).toContain('<html lang="ru"');
    expect(en.text.replaceAll(/>Русский<|"Русский"|lang="ru"/g, '')).not.toMatch(/[а-яё]{3}/i);
  }
});

const legs = [
  { leg_id: 'l1', amount: '100.00', completed_at: '2026-01-31T12:00:00.000Z', file: false },
];
const givenCompleted = (shopId: string, more: { evidence?: 'legs' } = {}) => {
  const received = { actual_amount: '100.00', recorded_amount: '100.00' };
  const credited = { settlement_amount: '99.00', commission_amount: '1.00' };
  const data = { ...received, ...credited, legs, ...more };
  const completed = { type: 'OperationCompleted', data } as const;
  return givenPayment(console.store, { shopId, answers: [acceptance()], after: [completed] });
};

test('shows a return with the effect of each resolution', async () => {
  const shopId = await newShop();
  const operationId = await givenCompleted(shopId);
  await recordReturn(console.store, { operationId, shopId, kind: 'charged_back' });
  await console.waitForReadModels();
  const visitor = await console.visitor(tokens.operator);
  const list = (await visitor.get(`/suspense?lang=en&shop=${shopId}`)).text;
  for (const part of ['Payment charged back', '30.00', 'exceeds the transfer by', '5.00'])
    expect(list).toContain(part);
  const [path = ''] = /\/suspense\/[\w-]+\/resolve/.exec(list) ?? [];
  const form = (await visitor.get(`${path}?lang=en`)).text;
  const charge = 'Charge the shop: the shop’s balance decreases';
  for (const part of [charge, 'Returned by the provider', 'Borne by the gateway'])
    expect(form).toContain(part);
  expect(form).not.toContain('Credit the shop');
  expect((await visitor.get(`${path}?lang=ru`)).text).toContain('Платёж оспорен');
  const done = await visitor.act(path, { resolution: 'charge_shop', note: 'the payer was right' });
  expect(done.text).toContain('EntryPosted');
  await console.waitForReadModels();
  const ledger = (await visitor.get(`/shops/${shopId}/ledger/RUB?lang=en`)).text;
  expect(ledger).toContain('Money returned');
});

describe('the evidence of an operation’s money', () => {
  const patterns = {
    shown: /Proof of transfers|Подтверждения переводов/,
    unavailable: /The provider can’t supply it right now|Провайдер сейчас их не отдаёт/,
  };

  test('comes from its legs', async () => {
    const operationId = await givenCompleted(await newShop(), { evidence: 'legs' });
    const { status, text } = await admin.get(`/operations/${operationId}`);
    expect(status).toBe(200);
    expect(text).toMatch(patterns.shown);
    expect(text).not.toMatch(patterns.unavailable);
    // As lists of routes have them.
    expect(text).toMatch(/1\.00%.*Proof of transfers.*₽100\.00/s);
    expect(await typesOf(evidenceStream(operationId))).toEqual([]);
  });

  test('is requested from the provider when the page is opened, if its legs are not evidence', async () => {
    const operationId = await givenCompleted(await newShop());
    expect((await admin.get(`/operations/${operationId}`)).text).toMatch(patterns.unavailable);
    const provider = createFakeProvider();
    provider.setReport(operationId, { status: 'completed', legs });
    const connectors = new Map([['sandbox', provider.connector]]);
    const otherInstance = await console.startInstance({ connectors });
    const visitor = visitorAt(otherInstance.port);
    await visitor.signIn(tokens.auditor);
    const { text } = await visitor.get(`/operations/${operationId}`);
    await otherInstance.stop();
    expect(text).toMatch(patterns.shown);
    expect(text).not.toMatch(patterns.unavailable);
    expect(await typesOf(evidenceStream(operationId))).toEqual(['EvidenceMaterialised']);
    expect((await admin.get(`/operations/${operationId}`)).text).not.toMatch(patterns.unavailable);
    expect(provider.evidenceRequests).toHaveLength(1);
  });
});

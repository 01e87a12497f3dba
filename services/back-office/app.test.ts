import { describe, expect, test } from 'vitest';
import { fixedToken } from './api/authentication.ts';
import { unreachableAdmin } from './testing/unreachable.ts';

const token = 'the-only-token-there-is';
const shop = '/admin/v1/shops/6f1c1c9e-0000-4000-8000-000000000000';

const app = unreachableAdmin([fixedToken(token, { name: 'alice', role: 'admin' })], {
  providers: async () => ({ revision: -1, off: new Map(), accounts: new Map() }),
});

type Fault = { pointer: string; code: string; detail: string };
type Sent = { code: string; status: number; errors: Fault[] };

const send = async (request: string, body?: unknown, headers: Record<string, string> = {}) => {
  const [method = '', path = ''] = request.split(' ');
  const response = await app.request(path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const problem = (await response.json()) as Sent;
  return { status: response.status, headers: response.headers, problem };
};

describe('authentication', () => {
  test.each([
    ['', 'admin_token_required'],
    ['Bearer wrong-token-of-someone', 'admin_token_invalid'],
    [`Basic ${token}`, 'admin_token_invalid'],
    ['Bearer', 'admin_token_invalid'],
  ])('comes before all other checks: "%s" gets %s (R16.1)', async (authorization, code) => {
    const merchants = ['POST /admin/v1/merchants', 'DELETE /admin/v1/merchants'];
    for (const request of [...merchants, 'GET /admin/nowhere']) {
      const body = request.startsWith('GET') ? undefined : '{';
      expect(await send(request, body, { authorization })).toMatchObject({
        status: 401,
        problem: { code, status: 401, request_id: expect.any(String) },
      });
    }
  });

  test('accepts the scheme in any case', async () => {
    const headers = { authorization: `bearer ${token}` };
    const answer = await send('POST /admin/v1/merchants', '{', headers);
    expect(answer.problem.code).toBe('invalid_json');
  });
});

test('limits an address without a token or a session on every path (R1.13)', async () => {
  const tokens = [fixedToken(token, { name: 'alice', role: 'admin' })];
  const one = unreachableAdmin(tokens, {}, { per_second: 0.001, burst: 5 });
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await one.request(path, { headers })).status;
  const paths = ['/admin/v1/shops', '/', '/sign-in', '/assets/x.css', '/nothing'];
  const all = () => Promise.all(paths.map((path) => statusOf(path)));
  expect(await all()).toEqual([401, 303, 200, 404, 303]);
  expect(await all()).toEqual([401, 429, 429, 429, 429]);
  const authorization = `Bearer ${token}`;
  // A bearer token counts for the API only.
  expect(await statusOf('/sign-in', { authorization })).toBe(429);
  expect(await statusOf('/admin/v1/nothing', { authorization })).toBe(404);
  expect(await statusOf('/livez')).toBe(204);
});

test('rejects an unknown path, a wrong method or type, and a body that is too large', async () => {
  expect((await send('GET /admin/v1/nothing')).problem.code).toBe('route_not_found');
  const wrong = await send('PUT /admin/v1/merchants', {});
  expect(wrong).toMatchObject({ status: 405, problem: { code: 'method_not_allowed' } });
  expect(wrong.headers.get('allow')).toBe('POST');
  const text = { 'content-type': 'text/plain' };
  expect((await send('POST /admin/v1/merchants', '{}', text)).problem.code).toBe(
    'content_type_unsupported',
  );
  const large = JSON.stringify({ name: 'x'.repeat(70_000) });
  expect((await send('POST /admin/v1/merchants', large)).problem.code).toBe('body_too_large');
  expect((await send('POST /admin/v1/merchants', [])).problem).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '', code: 'field_invalid' }],
  });
});

const method = { type: 'payment', method: 'WT_RUB_C2C', currency: 'RUB' };
const route = { ...method, provider: 'sandbox', commission: { percent: '2.50' } };
const withRoute = (change: object) => ({ routes: [{ ...route, ...change }] });

/** A request, its body and its rejected fields, whose code is field_invalid unless named. */
type Invalid = [request: string, body: unknown, fields: string];
const payersTexts = [
  ['я'.repeat(101), '😀'.repeat(201), 'http://shop.example/'],
  ['', ' ', ''],
  ['a\0', 5, 'https://shop.example/{order}'],
].map(([display_name, support, return_url]): Invalid => {
  const body = { display_name, support, return_url };
  return [`PATCH ${shop}`, body, '/display_name /support /return_url'];
});
const invalidRoutes: [change: object, fields: string][] = [
  [{ method: 'X' }, '/method:method_unknown'],
  [{ currency: 'XXX' }, '/currency:currency_unknown'],
  [{ currency: 'USD' }, '/currency:currency_method_mismatch'],
  [{ provider: 'no-such-provider' }, '/provider'],
  [{ priority: -1, min_amount: '1' }, '/priority /min_amount:amount_invalid'],
  [{ min_amount: '2.00', max_amount: '1.00' }, '/max_amount:amount_invalid'],
  [
    { commission: { percent: '100.01', fixed: '1' } },
    '/commission/percent /commission/fixed:amount_invalid',
  ],
  [
    { conversion: { settlement_currency: 'XXX' }, typo: 1 },
    '/conversion/settlement_currency:currency_unknown /conversion/fx_source:field_required /typo:field_unknown',
  ],
  [{ options: [] }, '/options'],
];
const routes = invalidRoutes.map(([change, fields]): Invalid => {
  const pointers = fields.replaceAll(/(^| )/g, '$1/routes/0');
  return [`PUT ${shop}/routes`, withRoute(change), pointers];
});
const urls = [
  'not a url',
  'http://example.com/',
  'https://127.0.0.1/',
  'https://169.254.169.254/',
  'https://[::ffff:10.0.0.1]/',
].map((url): Invalid => [`PUT ${shop}/webhook`, { url }, '/url']);

describe('validation', () => {
  test.each<Invalid>([
    ['POST /admin/v1/merchants', {}, '/name:field_required'],
    ['POST /admin/v1/merchants', { name: '', x: 1 }, '/name /x:field_unknown'],
    ['POST /admin/v1/merchants', { name: 'a\0' }, '/name'],
    ['POST /admin/v1/merchants', { name: 'x'.repeat(201) }, '/name'],
    [
      'POST /admin/v1/shops',
      {
        merchant_id: null,
        hosted_page: 'yes',
        overdraft_limits: { RUB: '1.5', XXX: '1.00' },
        rate_limit: { per_second: 0, burst: 1.5, x: 1 },
        display_name: {},
        return_url: 'https://user:pw@shop.example/',
      },
      `/merchant_id /name:field_required /hosted_page /overdraft_limits/RUB:amount_invalid
        /overdraft_limits/XXX:field_unknown /rate_limit/per_second /rate_limit/burst
        /rate_limit/x:field_unknown /display_name /return_url`,
    ],
    [`PATCH ${shop}`, { merchant_id: 'x', name: null }, '/merchant_id:field_unknown /name'],
    ...payersTexts,
    [
      `PATCH ${shop}`,
      { overdraft_limits: { RUB: '-1.00' } },
      '/overdraft_limits/RUB:amount_invalid',
    ],
    [`POST ${shop}/api-keys`, {}, '/label:field_required'],
    [`PUT ${shop}/routes`, {}, '/routes:field_required'],
    [`PUT ${shop}/routes`, { routes: {} }, '/routes'],
    [
      `PUT ${shop}/routes`,
      { routes: [route, {}] },
      ['type', 'method', 'currency', 'provider', 'commission']
        .map((name) => `/routes/1/${name}:field_required`)
        .join(' '),
    ],
    ...routes,
    [
      `POST ${shop}/adjustments`,
      { amount: '0.00' },
      '/adjustment_id:field_required /currency:field_required /amount:amount_invalid /reason:field_required',
    ],
    [
      `POST ${shop}/adjustments`,
      { adjustment_id: 'x'.repeat(513), currency: 'XXX', amount: '-01.00', reason: '', typo: 1 },
      '/adjustment_id /currency:currency_unknown /amount:amount_invalid /reason /typo:field_unknown',
    ],
    [
      `POST ${shop}/adjustments`,
      { adjustment_id: 'a\0', currency: 'RUB', amount: 5, reason: 'й'.repeat(1_025) },
      '/adjustment_id /amount:amount_invalid /reason:reason_too_long',
    ],
    [`PUT ${shop}/webhook`, { enabled: 1 }, '/url:field_required /enabled'],
    ...urls,
  ])('%s lists each invalid field of %j', async (request, body, fields) => {
    const { status, problem } = await send(request, body);
    expect([status, problem.code]).toEqual([400, 'invalid_request']);
    const expected = fields.split(/\s+/).map((field) => {
      const [pointer, code = 'field_invalid'] = field.split(':');
      return `${pointer} ${code}`;
    });
    expect(problem.errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual(
      expected.toSorted(),
    );
    expect(problem.errors.every(({ detail }) => detail.length > 0)).toBe(true);
  });
});

describe('options of a route', () => {
  const nested = (depth: number) => `{"o":${'['.repeat(depth - 1)}1${']'.repeat(depth - 1)}}`;
  const body = (options: string) =>
    JSON.stringify(withRoute({})).replace('}}]}', `},"options":${options}}]}`);

  test.each([17, 50, 10_000])('%i levels deep are rejected', async (depth) => {
    const { status, problem } = await send(`PUT ${shop}/routes`, body(nested(depth)));
    expect(status).toBe(400);
    // Beyond the depth limit of any body, the JSON itself is rejected.
    expect(['invalid_request', 'invalid_json']).toContain(problem.code);
  });

  test.each([
    { options: { note: 'a\0b' } },
    { options: { 'a\0b': [{ deep: 1 }] } },
    { options: { note: [{ deep: '\ud800' }] } },
    { conversion: { settlement_currency: 'USD', fx_source: 'a\0b' } },
  ])('with characters that stores can’t hold are rejected, also in fx_source: %j', async (over) => {
    const { status, problem } = await send(`PUT ${shop}/routes`, withRoute(over));
    expect(status).toBe(400);
    const detail = 'must not hold U+0000 or lone surrogates';
    expect(problem.errors).toEqual([{ pointer: '/routes/0', code: 'field_invalid', detail }]);
  });

  test('16 levels deep are accepted', async () => {
    expect((await send(`PUT ${shop}/routes`, body(nested(16)))).problem.code).toBe('not_ready');
  });
});

test.each(['%00', 'nonsense', '%ED%A0%80'])('returns 404 for the ID %s in a path', async (id) => {
  for (const request of [
    `PATCH /admin/v1/shops/${id}`,
    `GET /admin/v1/shops/${id}/api-keys`,
    `DELETE /admin/v1/api-keys/${id}`,
    `PUT /admin/v1/shops/${id}/routes`,
    `GET /admin/v1/shops/${id}/webhook`,
    `POST /admin/v1/shops/${id}/adjustments`,
    `GET /admin/v1/shops/${id}/webhook-messages`,
    `POST /admin/v1/webhook-messages/${id}/redeliver`,
    `GET /admin/v1/operations/${id}`,
    `GET /admin/v1/operations/${id}/events`,
    `POST /admin/v1/suspense/${id}/resolve`,
    `DELETE /admin/v1/tokens/${id}`,
  ]) {
    expect((await send(request, request.startsWith('GET') ? undefined : {})).status).toBe(404);
  }
});

const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
const anId = shop.split('/').at(-1);

const unstorable = `cursor=${cursor('0000-01-01T00:00:00Z', anId)} cursor=${cursor('2026-01-01T00:00:00Z', '\0')}`;

/** Invalid queries of lists and exports, each by one parameter. */
const invalidQueries = {
  operations: `limit=0 limit=201 limit=x status=gone type=x statsu=pending shop_id=%00 shop_id=x
    merchant_operation_id=a%00 cursor=x ${unstorable}`,
  suspense: `shop_id=%00 cursor=x ${unstorable}`,
  activity: 'kind=Nothing shop_id=x done_from=yesterday cursor=x limit=0 who=alice',
  audits: 'cursor=x until=1',
  statements: 'cursor=x from=yesterday',
  'statement-findings': 'finding=other_kind',
  'operations.csv': `limit=5 status=completed&status=declined status=paid time_zone=IST
    time_zone=Mars/Olympus time_zone=%2B03:00`,
  'journal.csv': 'currency=GBP posted_from=yesterday',
  'balances.csv': 'shop=1',
  'webhook-deliveries.csv': 'status=lost',
};

test.each(
  Object.entries(invalidQueries).flatMap(([list, queries]) =>
    queries.split(/\s+/).map((query) => [list, query] as const),
  ),
)('GET /admin/v1/%s?%s is rejected', async (list, query) => {
  const { status, problem } = await send(`GET /admin/v1/${list}?${query}`);
  expect({ status, code: problem.code }).toEqual({ status: 400, code: 'invalid_request' });
  expect(problem.errors).toMatchObject([{ pointer: `/${query.split('=')[0]}` }]);
});

describe('while the event store is unreachable', () => {
  const id = shop.split('/').at(-1);
  test.each<[string, unknown]>([
    ['POST /admin/v1/shops', { merchant_id: id, name: 'x' }],
    [`PATCH ${shop}`, {}],
    [`POST ${shop}/api-keys`, { label: 'x' }],
    [`GET ${shop}/api-keys`, undefined],
    [`DELETE /admin/v1/api-keys/${id}`, undefined],
    [`PUT ${shop}/routes`, { routes: [route] }],
    [
      `POST ${shop}/adjustments`,
      { adjustment_id: 'a', currency: 'RUB', amount: '1.00', reason: 'r' },
    ],
    [`PUT ${shop}/webhook`, { url: 'https://example.com/' }],
    [`GET ${shop}/webhook`, undefined],
    [`POST ${shop}/webhook/rotate-secret`, undefined],
    [`POST ${shop}/webhook/ping`, undefined],
    [`GET ${shop}/webhook-messages`, undefined],
    [`GET /admin/v1/operations/${id}`, undefined],
    [`GET /admin/v1/operations/${id}/events`, undefined],
  ])('%s returns not_ready', async (request, body) => {
    const { status, problem } = await send(request, body);
    expect({ status, code: problem.code }).toEqual({ status: 503, code: 'not_ready' });
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiWithoutStores } from './testing/api-without-stores.ts';

const jsonPaths = [
  'payment',
  'payment/link',
  'payout',
  'cancel_operation',
  'get_operation_state',
].map((name) => `/v1/${name}`);
const { api, send } = createApiWithoutStores({ rate_limit: { per_second: 10_000, burst: 10_000 } });

it('routes with one regular expression, not with a tree of routes', async () => {
  await send('GET /livez', {});
  expect(api.router.name).toBe('SmartRouter + RegExpRouter');
});

it('limits requests by address on every path, except API requests with a key (R1.13)', async () => {
  const anonymousLimit = { per_second: 0.001, burst: 4 };
  const one = createApiWithoutStores(
    { rate_limit: { per_second: 100, burst: 100 } },
    { anonymousLimit },
  );
  const statusOf = async (request: string, headers: Record<string, string> = {}) =>
    (await one.send(request, { headers })).status;
  const first = ['POST /v1/payment', 'GET /docs', 'GET /nothing', 'GET /openapi.json'];
  expect(await Promise.all(first.map((request) => statusOf(request)))).toEqual([
    401, 200, 404, 200,
  ]);
  // Outside the API, a key does not exempt a request.
  const more = await Promise.all([
    ...first.map((request) => statusOf(request)),
    statusOf('GET /docs', { 'x-api-key': 'key' }),
  ]);
  // A missing key is 401 even beyond the limit.
  expect(more).toEqual([401, 429, 429, 429, 429]);
  expect(await statusOf('GET /v1/methods', { 'x-api-key': 'key' })).toBe(200);
  expect(await statusOf('GET /livez')).toBe(204);
});

describe('the API below /v1', () => {
  it.each([
    'POST /v1/payment',
    'GET /v1',
    'GET /v1/',
    'GET /v1//payment',
    'PUT /v1/payment',
    'OPTIONS /v1/payment',
    'POST /v1/nothing',
    'POST /v1/%70ayment',
    'POST /%76%31/payment',
    'POST /x/../v1/payment',
    'POST /v1/%zz',
    'POST /v1/..%2fpayment',
  ])('requires an API key: %s', async (request) => {
    expect(await send(request, { headers: {} })).toMatchObject({
      status: 401,
      problem: { code: 'api_key_required', message: 'x-api-key header is required' },
      headers: expect.toSatisfy((headers: Headers) => headers.has('www-authenticate')),
    });
    expect(await send(request, { headers: { 'x-api-key': 'other' } })).toMatchObject({
      status: 401,
      problem: { code: 'api_key_invalid', message: 'invalid api key' },
    });
  });

  it('checks the key before it reads a body (R1.1)', async () => {
    const bodies = ['{', `"${'x'.repeat(70_000)}"`, '{"merchant_id":"m"}'];
    for (const headers of [{}, { 'x-api-key': 'other' }])
      for (const body of bodies)
        expect((await send('POST /v1/payment', { headers, body })).status).toBe(401);
  });

  it.each([
    'GET /v1',
    'GET /v1/',
    'POST /v1/payment/',
    'POST /v1//payment',
    'POST /v1/payment/link/x',
    'POST /v1/Payment',
    'GET /v1/%zz',
  ])('returns 404 to a valid key for an unknown route: %s (R2.6)', async (request) => {
    expect(await send(request)).toMatchObject({
      status: 404,
      problem: { code: 'route_not_found' },
    });
  });

  it.each([
    'GET //v1/payment',
    'GET /V1/payment',
    'GET /v1%2fpayment',
    'GET /v10/payment',
    'GET /metrics',
  ])('does not include paths that only look similar: %s', async (request) => {
    expect(await send(request, { headers: {} })).toMatchObject({
      status: 404,
      problem: { code: 'route_not_found' },
    });
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
    'returns 405 with Allow for an unsupported method: %s (R2.6)',
    async (method) => {
      for (const path of [...jsonPaths, '/v1/confirm_payment']) {
        const { status, headers } = await send(`${method} ${path}`);
        expect([status, headers.get('allow')]).toEqual([405, 'POST']);
        expect(headers.get('content-type')).toBe('application/problem+json');
      }
    },
  );

  it('returns 405 for an unsupported method of a path that is only read', async () => {
    for (const request of ['POST /livez', 'DELETE /v1/balances']) {
      const { status, headers } = await send(request);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    expect((await send('HEAD /livez', { headers: {} })).status).toBe(204);
  });

  it('returns 415 for a receipt that is not sent in a form (R2.5)', async () => {
    const answer = await send('POST /v1/confirm_payment', { body: '{"operation_id":"x"}' });
    expect(answer).toMatchObject({ status: 415, problem: { code: 'content_type_unsupported' } });
  });
});

it.each<[string, string, Parameters<typeof send>[1]?]>([
  ['POST /v1/nothing', 'there is nothing at /v1/nothing'],
  ['POST /v1/v1/payment', 'there is nothing at /v1/v1/payment: leave /v1 out of the base URL'],
  ['PUT /v1/payment', 'PUT is not allowed at /v1/payment: use POST'],
  ['DELETE /v1/balances', 'DELETE is not allowed at /v1/balances: use GET, HEAD'],
  [
    'POST /v1/payment',
    'the body is not valid JSON: it ends too early, at line 1, column 2',
    { body: '{' },
  ],
  [
    'POST /v1/payment/link',
    '/amount: must be a decimal with two places, such as "100.00"',
    {
      body: JSON.stringify({
        merchant_operation_id: 'order-1',
        client_id: 'client-1',
        method: 'WT_RUB_C2C',
        amount: 100,
        currency: 'RUB',
      }),
    },
  ],
  [
    'GET /v1/balances',
    'x-api-key header is required: send the API key in it, not in Authorization',
    { headers: { authorization: 'Bearer gw_key' } },
  ],
])('says what to do about %s: %s (R2.14)', async (request, message, more) => {
  const { problem } = await send(request, more);
  expect(problem).toMatchObject({ message, detail: message });
});

it.each([
  ['a wrong path', 'POST /v1/nothing', '{}', 404, 'route_not_found'],
  ['a wrong method', 'PUT /v1/payment', '{}', 405, 'method_not_allowed'],
  ['broken JSON', 'POST /v1/payment', '{', 400, 'invalid_json'],
  ['no object', 'POST /v1/payment', '[]', 400, 'invalid_request'],
  ['too large a body', 'POST /v1/payment', `"${'x'.repeat(65_600)}"`, 413, 'body_too_large'],
])('returns a problem for %s (R2.1)', async (_, request, body, status, code) => {
  const { headers, ...answer } = await send(request, { body });
  const instance = request.split(' ')[1];
  const request_id = headers.get('x-request-id');
  const problem = { status, code, retryable: false, instance, request_id };
  expect(answer).toMatchObject({ status, problem });
  expect(headers.get('content-type')).toBe('application/problem+json');
});

it.each([
  '/receipts/%zz/%ff?expires=%zz',
  '/receipts/a/b?expires=1&signature=é',
  '/receipts/%2f/%00',
  '/receipts/a/b',
])('rejects a receipt link that the gateway did not issue: %s', async (path) => {
  expect(await send(`GET ${path}`, { headers: {} })).toMatchObject({
    status: 403,
    problem: { code: 'receipt_url_invalid' },
  });
});

it.each([
  ['4111111111111111', false],
  ['order-4111-1111-1111-1111', false],
  ['4111.1111.1111.1111', false],
  ['4111111111111112', true],
  ['20261122230252', true],
  ['x'.repeat(65), false],
  ['a/b', false],
  ['%C3%A4', false],
  ['abc.DEF-1_2', true],
  ['no spaces', false],
  ['018f2f2e-5f67-8a1b-9c3d-0123456789ab', true],
])('echoes the request id %s: %s (R2.7)', async (id, isKept) => {
  const answer = await send('GET /v1/nothing', { headers: { 'x-request-id': id } });
  const { request_id: requestId } = answer.problem as { request_id: string };
  expect(requestId).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(answer.headers.get('x-request-id')).toBe(requestId);
  expect(requestId === id).toBe(isKept);
});

it('generates a new id for each request without one (R2.7)', async () => {
  const answers = [await send('GET /v1/nothing'), await send('GET /v1/nothing')];
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(2);
});

it('sends no-store with errors and with every response below /v1', async () => {
  for (const request of [
    'GET /v1/methods',
    'POST /v1/payment',
    'GET /v1/nothing',
    'GET /nothing',
  ]) {
    expect((await send(request)).headers.get('cache-control')).toBe('no-store');
  }
});

describe('a JSON endpoint', () => {
  it.each([
    ['application/json', 400],
    ['application/json; charset=utf-8', 400],
    ['APPLICATION/JSON ;charset="UTF-8"', 400],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/xml', 415],
    ['application/jsonp', 415],
    ['', 415],
  ])('responds to the content type "%s" with %i (R2.5)', async (type, status) => {
    for (const path of jsonPaths) {
      const answer = await send(`POST ${path}`, {
        headers: { 'x-api-key': 'key', 'content-type': type },
        body: '{}',
      });
      expect(answer.status).toBe(status);
      const code = status === 415 ? 'content_type_unsupported' : 'invalid_request';
      expect(answer.problem).toMatchObject({ code, retryable: false });
    }
  });

  it('accepts a body of 64 KiB, and not a byte more (R2.5)', async () => {
    for (const path of jsonPaths) {
      const codeOf = async (bytes: number) => {
        const { problem } = await send(`POST ${path}`, { body: '[]'.padEnd(bytes) });
        return (problem as { code: string }).code;
      };
      expect(await codeOf(64 * 1024)).toBe('invalid_request');
      expect(await codeOf(64 * 1024 + 1)).toBe('body_too_large');
    }
  });
});

describe('rate limit', () => {
  // The clock is frozen, so that no bucket refills.
  beforeEach(() => {
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const headersOf = (headers: Headers) =>
    ['limit', 'remaining', 'reset', 'policy'].map((name) => headers.get(`ratelimit-${name}`));

  it('adds headers to every response to a valid key, including errors, and to no other', async () => {
    const edges = createApiWithoutStores();
    const first = await edges.send('POST /v1/payment', { body: '{' });
    expect([first.status, ...headersOf(first.headers)]).toEqual([
      400,
      '200',
      '199',
      '1',
      '200;w=2',
    ]);
    const second = await edges.send('GET /v1/nothing');
    expect([second.status, second.headers.get('ratelimit-remaining')]).toEqual([404, '198']);
    const without = await edges.send('GET /v1/nothing', { headers: {} });
    expect(without.headers.get('ratelimit-limit')).toBeNull();
    expect((await edges.send('GET /livez')).headers.get('ratelimit-limit')).toBeNull();
  });

  it('rejects before the body is read, counts per key, and applies a change at once', async () => {
    const edges = createApiWithoutStores({ rate_limit: { per_second: 1, burst: 2 } });
    const statuses = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await edges.send('GET /v1/nothing')).status);
    expect(statuses).toEqual([404, 404, 429]);
    const refused = await edges.send('POST /v1/payment', { body: '{' });
    expect(refused).toMatchObject({
      status: 429,
      problem: { code: 'rate_limited', retryable: true },
    });
    expect(refused.headers.get('retry-after')).toMatch(/^[123]$/);
    expect(headersOf(refused.headers)).toEqual(['2', '0', '2', '2;w=2']);
    expect((await edges.send('GET /v1/nothing', { headers: { 'x-api-key': 'key2' } })).status).toBe(
      404,
    );
    edges.shop.settings.rate_limit = { per_second: 1, burst: 3 };
    expect((await edges.send('GET /v1/nothing')).status).toBe(404);
    expect((await edges.send('GET /v1/nothing')).status).toBe(429);
    expect((await edges.send('GET /v1/nothing', { headers: {} })).status).toBe(401);
  });

  it('has a separate limit for changes of the configuration (R14.17)', async () => {
    const edges = createApiWithoutStores({ rate_limit: { per_second: 10_000, burst: 10_000 } });
    const change = () => edges.send('DELETE /v1/webhook-endpoints/none');
    let allowed = 0;
    while ((await change()).status === 404) allowed += 1;
    expect(allowed).toBeGreaterThanOrEqual(60);
    const refused = await change();
    expect(refused).toMatchObject({ status: 429, problem: { code: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toMatch(/^[123]$/);
    expect((await edges.send('GET /v1/webhook-endpoints')).status).toBe(200);
  });

  it('allows all keys of a shop together twice the limit of one (R1.7)', async () => {
    const edges = createApiWithoutStores({ rate_limit: { per_second: 0.001, burst: 2 } });
    const statuses = [];
    for (const key of ['key1', 'key2', 'key3'])
      for (let count = 0; count < 2; count += 1) {
        const headers = { 'x-api-key': key };
        statuses.push((await edges.send('GET /v1/nothing', { headers })).status);
      }
    expect(statuses).toEqual([404, 404, 404, 404, 429, 429]);
    const refused = await edges.send('GET /v1/nothing', { headers: { 'x-api-key': 'key4' } });
    expect(refused).toMatchObject({ status: 429, problem: { code: 'rate_limited' } });
    expect(refused.problem).toMatchObject({
      detail: expect.stringContaining('all keys of the shop together') as string,
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, send, target } from './support/http.ts';
import { problemCodes } from './support/problem.ts';
import { openShop, type Shop } from './support/shop.ts';
import { until } from './support/until.ts';

// The shape of every error that any test here provokes is checked where requests are sent
// (support/problem.ts).

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

const request = async (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  raw?: string,
) =>
  send(`${target.gateways[0]}${path}`, {
    method,
    headers: { 'x-api-key': shop.apiKey, ...headers },
    ...(raw === undefined ? {} : { raw }),
  });

describe('R2.1 errors', () => {
  it('are 404 route_not_found for unknown paths, below /v1 and elsewhere (R2.1)', async () => {
    for (const path of [
      '/v1/nothing',
      '/v1/payment/',
      '/v1/payment/link/x',
      '/v2/payment',
      '/nothing',
    ]) {
      expect(
        await request('POST', path, { 'content-type': 'application/json' }, '{}'),
      ).toMatchObject({
        status: 404,
        body: { code: 'route_not_found', retryable: false },
      });
    }
  });

  it('are 405 with Allow for another method (R2.6)', async () => {
    const posts = [
      'payment',
      'payment/link',
      'payout',
      'cancel_operation',
      'get_operation_state',
      'confirm_payment',
    ];
    for (const path of posts) {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await request(method, `/v1/${path}`);
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 405,
          body: { code: 'method_not_allowed' },
        });
        expect(answer.headers.get('allow')).toContain('POST');
      }
    }
  });

  it('distinguish invalid JSON, other content types and large bodies (R2.5)', async () => {
    for (const path of ['cancel_operation', 'get_operation_state']) {
      const json = { 'content-type': 'application/json' };
      expect(await request('POST', `/v1/${path}`, json, '{')).toMatchObject({
        status: 400,
        body: { code: 'invalid_json' },
      });
      expect(await request('POST', `/v1/${path}`, json, '[]')).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
      expect(
        await request('POST', `/v1/${path}`, { 'content-type': 'text/plain' }, '{}'),
      ).toMatchObject({
        status: 415,
      });
      expect(await request('POST', `/v1/${path}`, json, ' '.repeat(65 * 1024))).toMatchObject({
        status: 413,
      });
    }
  });

  it('are 400, never 500, for malformed bodies (R2.10)', async () => {
    const bodies = [
      '\u0000',
      '{"a":"\\u0000"}',
      '['.repeat(5000),
      '{"__proto__":{"a":1}}',
      '{"a":1e400}',
      '"',
    ];
    for (const raw of bodies) {
      for (const path of ['payment', 'payout', 'cancel_operation', 'get_operation_state']) {
        const answer = await request(
          'POST',
          `/v1/${path}`,
          { 'content-type': 'application/json' },
          raw,
        );
        expect(answer.status, `${path} ${raw.slice(0, 40)}: ${answer.text}`).toBe(400);
      }
    }
  });

  it('do not echo the value of a field (R2.8)', async () => {
    const body = shop.body('payout', { number: '4111 1111 1111 1111 1111 1111' });
    const answer = await shop.create('payout', body);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('1111 1111');
  });
});

describe('R2.12 type of a problem', () => {
  it('begins with the public URL of the gateway in every service (R2.12)', async () => {
    for (const base of [...target.gateways, target.admin, target.sandbox, ...target.inner]) {
      // The console next to the admin API has its own pages for unknown paths.
      const answer = await send(`${base}/admin/v1/nothing`, { method: 'GET' });
      expect(answer.body.type, base).toBe(
        `${target.gatewayUrl}/docs/errors/${answer.body.code.replaceAll('_', '-')}`,
      );
    }
  });

  it('links to a page for every code (R2.12)', async () => {
    expect(problemCodes.length).toBeGreaterThan(25);
    for (const code of problemCodes) {
      const page = await fetch(`${target.gatewayUrl}/docs/errors/${code.replaceAll('_', '-')}`);
      expect([code, page.status, page.headers.get('content-type')]).toEqual([
        code,
        200,
        'text/html; charset=UTF-8',
      ]);
      expect(await page.text()).toContain(code);
    }
  });
});

describe('R2.7 x-request-id', () => {
  it('is echoed if valid, and stored with the events of the request (R2.7, R17.5)', async () => {
    const id = `Trace-${crypto.randomUUID()}.1_a`;
    const failed = await request('GET', '/v1/nothing', { 'x-request-id': id });
    expect(failed.headers.get('x-request-id')).toBe(id);
    expect(failed.body.request_id).toBe(id);
    const created = await request(
      'POST',
      '/v1/payment',
      { 'x-request-id': id, 'content-type': 'application/json' },
      JSON.stringify(shop.body('payment')),
    );
    expect(created.status, created.text).toBe(200);
    expect(created.headers.get('x-request-id')).toBe(id);
    const events = await shop.events(created.body.operation_id);
    expect(events.length).toBeGreaterThan(0);
    for (const { metadata } of events) expect(metadata.request_id).toBe(id);
  });

  it('is replaced if invalid (R2.7)', async () => {
    for (const id of ['a b', 'x'.repeat(65), 'a/b', 'ä']) {
      const { headers } = await request('GET', '/v1/balances', {
        'x-request-id': encodeURI(id).slice(0, 80),
      });
      expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      expect(headers.get('x-request-id')).not.toBe(id);
    }
    const [a, b] = [await request('GET', '/v1/balances'), await request('GET', '/v1/balances')];
    expect(a.headers.get('x-request-id')).not.toBe(b.headers.get('x-request-id'));
  });
});

describe('R16.1 admin API', () => {
  it('checks its token first (R16.1)', async () => {
    const url = `${target.admin}/admin/v1/nothing`;
    expect(await send(url, { method: 'GET' })).toMatchObject({
      status: 401,
      body: { code: 'admin_token_required' },
    });
    const headers = { authorization: 'Bearer wrong' };
    expect(await send(url, { method: 'GET', headers })).toMatchObject({
      status: 401,
      body: { code: 'admin_token_invalid' },
    });
    expect(await admin('GET', '/nothing')).toMatchObject({
      status: 404,
      body: { code: 'route_not_found' },
    });
  });

  it('returns 404 for unknown objects (R16.9)', async () => {
    const id = crypto.randomUUID();
    const requests: [string, string, object?][] = [
      ['PATCH', `/shops/${id}`, { name: 'x' }],
      ['PUT', `/shops/${id}/routes`, { routes: [] }],
      ['GET', `/shops/${id}/webhook`],
      ['GET', `/shops/${id}/api-keys`],
      ['GET', `/operations/${id}`],
      ['GET', `/operations/${id}/events`],
      ['DELETE', `/api-keys/${id}`],
      ['POST', `/webhook-messages/${id}/redeliver`, {}],
    ];
    for (const [method, path, body] of requests) {
      const answer = await admin(method, path, body);
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(404);
      expect(['not_found', 'operation_not_found']).toContain(answer.body.code);
    }
  });

  it('lists operations by shop, status, type and key (R16.10)', async () => {
    const own = await openShop();
    const body = own.body('payment');
    const payment = await own.made(own.create('payment', body));
    const payout = await own.made(own.payout());
    const list = async (query: string): Promise<string[]> => {
      const answer = await admin('GET', `/operations?shop_id=${own.shopId}${query}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.operations.map(({ operation_id: id }: Json) => id as string);
    };
    const both: string[] = [payment.operation_id, payout.operation_id];
    const listed = await until('both', async () => list(''), {
      holds: ({ length }) => length === 2,
    });
    expect(new Set(listed)).toEqual(new Set(both));
    expect(await list('&type=payout')).toEqual([payout.operation_id]);
    expect(await list('&status=completed')).toEqual([]);
    expect(await list(`&merchant_operation_id=${body.merchant_operation_id}`)).toEqual([
      payment.operation_id,
    ]);
    const view = await own.adminView(payment.operation_id);
    const { number: _, name: __, ...expected } = payment;
    expect(view).toMatchObject(expected);
    own.expectOperation(view, 'admin');
  });

  it('lists events in order, with their metadata (R16.10)', async () => {
    const { operation_id: id } = await shop.made(shop.pay());
    const events = await shop.events(id);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
    for (const event of events) {
      expect(Object.keys(event).toSorted()).toEqual(
        ['data', 'event_id', 'metadata', 'revision', 'timestamp', 'type'].toSorted(),
      );
    }
  });
});

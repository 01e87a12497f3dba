import { describe, expect, it } from 'vitest';
import type { KeyLimits } from '#shared/domain/shop/events.ts';
import { endpoints } from '#shared/api/openapi/document.ts';
import { findScope } from './scopes.ts';
import { createApiWithoutStores } from './testing/api-without-stores.ts';

const nowMs = Date.parse('2026-02-01T12:00:00.000Z');
const edgesOf = (keyLimits: KeyLimits) =>
  createApiWithoutStores({}, { keyLimits, now: () => nowMs, trustedProxies: 1 });

const routes = createApiWithoutStores()
  .api.routes.filter(({ method, path }) => method !== 'ALL' && /^\/v1(\/|$)/.test(path))
  .map(({ method, path, handler }) => ({ method, path, scope: findScope(handler) }));

describe('the scope of a route', () => {
  it('is declared for every route below /v1 (R1.14)', () => {
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter(({ scope }) => scope === undefined)).toEqual([]);
  });

  it('matches the OpenAPI document', () => {
    const documented = endpoints
      .filter(({ needsKey }) => needsKey)
      .map(({ method, path, scope }) => `${method.toUpperCase()} ${path} ${scope}`);
    const declared = routes.map(
      ({ method, path, scope }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')} ${scope}`,
    );
    expect(declared.toSorted()).toEqual(documented.toSorted());
  });

  it('is `read` for every GET, or `all`, which only keys without scopes have', () => {
    const others = routes.filter(
      ({ method, scope }) => method === 'GET' && scope !== 'read' && scope !== 'all',
    );
    expect(others).toEqual([]);
  });
});

describe('a key with scopes', () => {
  const statusesOf = (keyLimits: KeyLimits) => {
    const { send } = edgesOf(keyLimits);
    return async (request: string) => {
      const { status, problem } = await send(request);
      return status === 403 && problem ? `403 ${(problem as { code: string }).code}` : status;
    };
  };

  it.each(['payments', 'payouts', 'read'] as const)(
    'for %s is rejected on every route of another scope, and on no other (R1.14)',
    async (scope) => {
      const statusOf = statusesOf({ scopes: [scope] });
      const refused = await Promise.all(
        routes.map(async ({ method, path }) => ({
          route: `${method} ${path}`,
          refused: (await statusOf(`${method} ${path}`)) === '403 forbidden',
        })),
      );
      expect(refused).toEqual(
        routes.map(({ method, path, scope: needed }) => ({
          route: `${method} ${path}`,
          refused: needed !== scope,
        })),
      );
    },
  );

  it('gets 404 and 405 like any other key (R1.14)', async () => {
    const forReading = statusesOf({ scopes: ['read'] });
    expect(await forReading('GET /v1/nothing')).toBe(404);
    expect(await forReading('PUT /v1/payment')).toBe(405);
    expect(await forReading('HEAD /v1/methods')).toBe(200);
    expect(await statusesOf({ scopes: ['payments'] })('HEAD /v1/methods')).toBe(403);
  });

  it('is rejected before its body is read', async () => {
    const { send } = edgesOf({ scopes: ['read'] });
    expect(await send('POST /v1/payment', { body: '{' })).toMatchObject({
      status: 403,
      problem: { code: 'forbidden', detail: 'the API key does not have the scope payments' },
    });
  });
});

describe('a key with an expiry', () => {
  const statusAt = async (expires_at: string) => {
    const { status, problem } = await edgesOf({ expires_at }).send('GET /v1/methods');
    return { status, problem };
  };

  it('is invalid from then on (R1.16)', async () => {
    expect(await statusAt('2026-02-01T12:00:00.001Z')).toMatchObject({ status: 200 });
    expect(await statusAt('2026-02-01T12:00:00.000Z')).toMatchObject({
      status: 401,
      problem: { code: 'api_key_invalid', detail: 'invalid api key' },
    });
  });
});

describe('a key with allowed addresses', () => {
  const from = async (allowed_ips: string[], forwarded: string) => {
    const headers = { 'x-api-key': 'key', 'x-forwarded-for': forwarded };
    const { status, problem } = await edgesOf({ allowed_ips }).send('GET /v1/methods', { headers });
    return status === 403 ? (problem as { code: string }).code : status;
  };

  it('is rejected from other addresses, as reported by the trusted proxy (R1.15)', async () => {
    expect(await from(['203.0.113.0/24'], '203.0.113.9')).toBe(200);
    expect(await from(['203.0.113.0/24'], '203.0.114.9')).toBe('forbidden');
    expect(await from(['203.0.113.0/24'], '203.0.113.9, 198.51.100.1')).toBe('forbidden');
    expect(await from(['203.0.113.0/24'], '::ffff:203.0.113.9')).toBe(200);
    expect(await from(['2001:db8::/32'], '2001:db8::1')).toBe(200);
    expect(await from(['2001:db8::/32'], '203.0.113.9')).toBe('forbidden');
    expect(await from(['203.0.113.0/24'], '203.0.113.9:51000')).toBe(200);
    expect(await from(['203.0.113.0/24'], '203.0.114.9:51000')).toBe('forbidden');
    expect(await from(['2001:db8::/32'], '[2001:db8::7]:443')).toBe(200);
  });

  it('is rejected if the proxy’s entry can’t be read, even in the proxies’ network (R1.15)', async () => {
    const { api } = edgesOf({ allowed_ips: ['192.0.2.0/24'] });
    const env = {
      incoming: { socket: { remoteAddress: '192.0.2.1', remotePort: 1, remoteFamily: 'IPv4' } },
    };
    const headers = { 'x-api-key': 'key', 'x-forwarded-for': 'unknown' };
    expect((await api.request('/v1/methods', { headers }, env)).status).toBe(403);
    expect(
      (await api.request('/v1/methods', { headers: { 'x-api-key': 'key' } }, env)).status,
    ).toBe(200);
  });

  it('is rejected if the address is unknown', async () => {
    const { send } = edgesOf({ allowed_ips: ['0.0.0.0/0', '::/0'] });
    expect((await send('GET /v1/methods')).status).toBe(403);
  });
});

import { describe, expect, it } from 'vitest';
import { sendRequest, target } from './support/http.ts';
import { openTestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const get = async (url: string, headers = {}) => sendRequest(url, { method: 'GET', headers });

describe('R1.7 rate limits', () => {
  const limited = { settings: { rate_limit: { per_second: 1, burst: 5 } } };

  it('allow a burst, then return 429 with Retry-After until refilled (R1.7)', async () => {
    const own = await openTestShop(limited);
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => own.call('/v1/balances')),
    );
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed.length).toBeGreaterThanOrEqual(5);
    // One more for each second that the requests take.
    expect(passed.length).toBeLessThan(20);
    for (const { headers } of answers) {
      const names = [...headers.keys()].filter((name) => name.startsWith('ratelimit'));
      expect(names.length).toBeGreaterThan(0);
    }
    const refused = answers.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ body: { code: 'rate_limited', retryable: true } });
    const seconds = Number(refused?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(5);
    await until('a request passes', async () => own.call('/v1/balances'), {
      holds: ({ status }) => status === 200,
    });
  });

  it('store nothing of a rejected create (R1.7)', async () => {
    const own = await openTestShop(limited);
    const bodies = Array.from({ length: 12 }, () => own.body('payment'));
    const answers = await Promise.all(bodies.map(async (body) => own.create('payment', body)));
    const refused = bodies.filter((_, index) => answers[index]?.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    const [body] = refused;
    const again = await until('it passes', async () => own.create('payment', body), {
      holds: ({ status }) => status !== 429,
    });
    expect(again.status).toBe(200);
    expect(again.headers.has('idempotent-replayed')).toBe(false);
  });
});

describe('R1.9 health probes', () => {
  it.each(['/livez', '/healthz', '/readyz'])(
    'return 204 for %s without a key, on every port (R1.9)',
    async (path) => {
      expect(target.ports).toEqual(
        expect.arrayContaining([
          ...target.gateways,
          target.admin,
          target.pay,
          target.sandbox,
          ...target.inner,
        ]),
      );
      for (const base of target.ports) {
        const answer = await get(`${base}${path}`);
        expect(answer, `${base}${path}`).toMatchObject({ status: 204, text: '' });
      }
    },
  );
});

describe('R2.11 documents', () => {
  it('GET /openapi.json is OpenAPI 3.1, without a key (R2.11)', async () => {
    const { status, headers, body } = await get(`${target.gateways[0]}/openapi.json`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/json/);
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(JSON.stringify(body)).toContain(`"${target.gatewayUrl}/docs/errors/invalid-json"`);
  });

  it('GET /docs loads nothing from the network (R2.11)', async () => {
    const { status, headers, text } = await get(`${target.gateways[0]}/docs`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(text).toContain('/v1/payment/link');
    expect(text).not.toMatch(
      /src=["']?(?:https?:)?\/\/|<link[^>]*https?:|@import|url\(["']?https?:/i,
    );
  });

  it('GET / redirects a browser to /docs, and is 404 for a program (R2.13)', async () => {
    const [gateway] = target.gateways;
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const answer = await get(`${gateway}/`, browser);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }])
      expect(await get(`${gateway}/`, headers)).toMatchObject({
        status: 404,
        body: { code: 'route_not_found' },
      });
    expect((await sendRequest(`${gateway}/`, { json: {}, headers: browser })).status).toBe(404);
  });
});

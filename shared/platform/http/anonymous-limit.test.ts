import type { IncomingMessage } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createAnonymousLimit } from './anonymous-limit.ts';
import { createApp } from './app.ts';
import { createMetrics } from './metrics.ts';

function setUp(trustedProxies: number) {
  const limit = createAnonymousLimit({
    trustedProxies,
    limit: { per_second: 0.001, burst: 3 },
    delayMs: 1,
  });
  const app = createApp({
    logger,
    metrics: createMetrics('test'),
    anonymous: {
      limit,
      showsCredential: (c) => c.req.header('x-api-key') !== undefined,
      isAskedForOne: (c) => c.req.path === '/v1',
    },
  });
  let handled = 0;
  app.get('/page', async (c) => {
    handled += 1;
    if (c.req.header('x-api-key') === 'wrong') await limit.take(c);
    return c.text('page');
  });
  app.get('/v1', (c) => c.text('required', 401));
  const peer = { socket: { remoteAddress: '192.0.2.1', remotePort: 1, remoteFamily: 'IPv4' } };
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { headers }, { incoming: peer });
  const statuses = async (count: number, path: string, headers?: Record<string, string>) => {
    const results: number[] = [];
    for (let at = 0; at < count; at += 1) results.push((await get(path, headers)).status);
    return results;
  };
  const isFlood = () => limit.isFlood({ ...peer, headers: {} } as IncomingMessage);
  return { get, statuses, isFlood, handled: () => handled };
}

it('answers 429 to anonymous requests over the limit, without handling them (R1.13)', async () => {
  const { get, statuses, handled } = setUp(0);
  expect(await statuses(3, '/page')).toEqual([200, 200, 200]);
  const refused = await get('/page');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([
    429,
    expect.stringMatching(/^10[0-3]\d$/),
  ]);
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', retryable: true });
  expect(await statuses(5, '/nothing')).toEqual([429, 429, 429, 429, 429]);
  expect(handled()).toBe(3);
});

it('limits neither requests with a credential nor probes of the same address', async () => {
  const { statuses } = setUp(0);
  await statuses(9, '/page');
  expect(await statuses(9, '/page', { 'x-api-key': 'right' })).toEqual(Array(9).fill(200));
  expect(await statuses(9, '/readyz')).toEqual(Array(9).fill(204));
});

it('still answers 401 where a credential is required, and counts the request (R1.13)', async () => {
  const { get, statuses } = setUp(0);
  expect(await statuses(5, '/v1')).toEqual([401, 401, 401, 401, 401]);
  expect((await get('/page')).status).toBe(429);
});

it('counts a wrong credential', async () => {
  const { statuses } = setUp(0);
  expect(await statuses(4, '/page', { 'x-api-key': 'wrong' })).toEqual([200, 200, 200, 429]);
  expect(await statuses(1, '/page')).toEqual([429]);
});

it('counts clients behind a trusted proxy separately, and ignores forged addresses (R1.13)', async () => {
  const { statuses } = setUp(1);
  const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.99, ${address}` });
  expect(await statuses(4, '/page', from('203.0.113.1'))).toEqual([200, 200, 200, 429]);
  expect(await statuses(1, '/page', from('203.0.113.2'))).toEqual([200]);
  const all = setUp(0);
  await all.statuses(3, '/page', from('203.0.113.1'));
  expect(await all.statuses(1, '/page', from('203.0.113.2'))).toEqual([429]);
});

it('is a flood once no more answers can be delayed, until they are sent (R1.13)', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { get, isFlood } = setUp(0);
  const send = (count: number) => Array.from({ length: count }, async () => get('/v1'));
  const waiting = send(502);
  await vi.advanceTimersByTimeAsync(0);
  expect([vi.getTimerCount(), isFlood()]).toEqual([499, false]);
  waiting.push(...send(1));
  await vi.advanceTimersByTimeAsync(0);
  expect(isFlood()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(waiting);
  expect(isFlood()).toBe(false);
});

import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { createRefusedCredentials } from './refused-credentials.ts';

it('delays a client that keeps sending wrong ones, and logs each with its hint', async () => {
  let lines = '';
  const logger = createLogger('test', 'info', { write: (text) => void (lines += text) });
  const refused = createRefusedCredentials({
    what: 'an API key',
    logger,
    trustedProxies: 1,
    delayMs: 80,
  });
  const app = new Hono();
  app.get('/', async (c) => {
    await refused.note(c, c.req.header('x-api-key') ?? '');
    return c.text('no', 401);
  });
  const send = async (address: string, key: string) => {
    const env = {
      incoming: { socket: { remoteAddress: '192.0.2.1', remotePort: 1, remoteFamily: 'IPv4' } },
    };
    await app.request('/', { headers: { 'x-forwarded-for': address, 'x-api-key': key } }, env);
    return address;
  };
  const key = 'gw_abcdefghijklmnopqrstuvwxyz0123456789WXYZ';
  for (let count = 0; count < 50; count += 1) await send('203.0.113.9', key);
  const responses = [send('203.0.113.9', key), send('203.0.113.10', 'secret')];
  expect(await Promise.race(responses)).toBe('203.0.113.10');
  await Promise.all(responses);
  const logged = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged).toHaveLength(52);
  expect(logged[0]).toMatchObject({ level: 'warn', address: '203.0.113.9', hint: 'WXYZ' });
  expect(logged[0]?.['msg']).toBe('an API key was refused');
  expect(logged.at(-1)).toMatchObject({ address: '203.0.113.10', hint: 'short' });
  expect(lines).not.toMatch(/abcdef|secret/);
});

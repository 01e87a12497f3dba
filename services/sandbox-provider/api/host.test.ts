import { request } from 'node:http';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import { isLoopback } from '#shared/platform/http/known-host.ts';
import { sandboxForFile, startTestSandbox } from '../testing/start.ts';

const path = `/control/operations/${randomUUID()}`;

/** The status of a request with any Host: `fetch` only sends the real one. */
function statusOf(
  url: string,
  {
    host,
    headers = {},
    to = path,
  }: { host: string; headers?: Record<string, string>; to?: string },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${to}`, { headers: { ...headers, host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.on('error', reject).end();
  });
}

describe('Host header on loopback', () => {
  const sandbox = sandboxForFile({ knownAs: 'http://provider.test:8090' });

  it.each([
    '127.0.0.1',
    'localhost:8090',
    '[::1]:1',
    'LOCALHOST',
    'provider.test:8090',
    'provider.test',
  ])('%s is accepted', async (host) => {
    expect(await statusOf(sandbox.url, { host })).toBe(404);
  });

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example:8090',
    '10.0.0.1',
    '0.0.0.0',
  ])('%s is rejected on every path (R20.6)', async (host) => {
    const headers = { authorization: `Bearer ${sandbox.config.SANDBOX_API_KEY}` };
    for (const to of [path, `/v1/attempts/${randomUUID()}.1`, '/metrics', '/nowhere'])
      expect(await statusOf(sandbox.url, { host, headers, to })).toBe(403);
  });
});

it('redirects a browser from `/` to its chapter in the documentation (R20.8)', async () => {
  const sandbox = await startTestSandbox();
  try {
    const root = (accept: string) =>
      fetch(sandbox.url, { headers: { accept }, redirect: 'manual' });
    const { status, headers } = await root('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([status, headers.get('location')]).toEqual([302, `${gatewayUrl()}/docs/sandbox`]);
    expect((await root('*/*')).status).toBe(404);
  } finally {
    await sandbox.stop();
  }
});

it('requires a key for the control API and the metrics when it listens beyond loopback', async () => {
  const sandbox = await startTestSandbox({ host: '0.0.0.0' });
  try {
    const get = (key?: string, to = path) =>
      fetch(
        `${sandbox.url}${to}`,
        key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
      );
    expect([(await get()).status, (await get('wrong')).status]).toEqual([401, 401]);
    expect((await get(sandbox.config.SANDBOX_API_KEY)).status).toBe(404);
    expect((await get(undefined, '/metrics')).status).toBe(401);
    expect((await get(sandbox.config.SANDBOX_API_KEY, '/metrics')).status).toBe(200);
  } finally {
    await sandbox.stop();
  }
});

it.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['localhost', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.evil.example', false],
  ['10.0.0.1', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

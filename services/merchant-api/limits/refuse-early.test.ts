import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { serveApp } from '#shared/platform/http/testing/serve-app.ts';
import { createApiWithoutStores } from '../testing/api-without-stores.ts';

type Api = ReturnType<typeof createApiWithoutStores>['api'];

/** The head of the answer to a request whose body is never sent. */
async function answerBeforeBody(api: Api, path: string): Promise<string> {
  const { port } = await serveApp(api);
  const socket = connect(port, '127.0.0.1');
  const head = ['Host: localhost', 'x-api-key: key', 'content-length: 100'].join('\r\n');
  socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.endsWith('}')) break;
  }
  return answer;
}

it('refuses a request beyond the rate limit before its body, as the app does (R1.7)', async () => {
  // Of the random part of `Retry-After`.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const { api } = createApiWithoutStores({ rate_limit: { per_second: 0.001, burst: 1 } });
  const { port } = await serveApp(api);
  const url = `http://127.0.0.1:${port}/v1/methods`;
  const headers = { 'x-api-key': 'key', 'x-request-id': 'one' };
  expect((await fetch(url, { headers })).status).toBe(200);
  // Without a server there is no request of Node's that could be refused early.
  const byApp = await api.request('/v1/methods', { headers });
  const early = await fetch(url, { headers });
  expect(early.status).toBe(429);
  expect(await early.json()).toEqual(await byApp.json());
  const {
    date: _,
    connection: __,
    'keep-alive': ___,
    'content-length': ____,
    ...own
  } = Object.fromEntries(early.headers);
  expect(own).toEqual(Object.fromEntries(byApp.headers));
  expect(await answerBeforeBody(api, '/v1/payment')).toMatch(/^HTTP\/1\.1 429 /);
});

it('refuses a read before its body while the process is overloaded (R4.10)', async () => {
  const { api, send } = createApiWithoutStores(
    { rate_limit: { per_second: 0.001, burst: 1_000 } },
    { gateOptions: { limit: { value: 0 }, burstMs: 0 } },
  );
  // However slow the machine is, none of the reads that wait is refused before the one after them.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting = Array.from({ length: 128 }, () => send('GET /v1/balances'));
  const answer = await answerBeforeBody(api, '/v1/get_operation_state');
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/\r\nratelimit-remaining: 871\r\n/i);
  await vi.advanceTimersByTimeAsync(200);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 503));
});

it('leaves a key that is bound to addresses or has expired to the app (R1.2, R1.15)', async () => {
  const limit = { rate_limit: { per_second: 0.001, burst: 1 } };
  const bound = createApiWithoutStores(limit, { keyLimits: { allowed_ips: ['192.0.2.0/24'] } });
  const expired = createApiWithoutStores(limit, {
    keyLimits: { expires_at: '2026-01-01T00:00:00.000Z' },
  });
  const statuses = async ({ api }: { api: Api }) => {
    const { port } = await serveApp(api);
    const get = async () =>
      (await fetch(`http://127.0.0.1:${port}/v1/methods`, { headers: { 'x-api-key': 'key' } }))
        .status;
    return [await get(), await get()];
  };
  expect(await statuses(bound)).toEqual([403, 403]);
  expect(await statuses(expired)).toEqual([401, 401]);
});

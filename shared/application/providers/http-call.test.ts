import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpClient } from '#shared/platform/http-client/client.ts';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { callProvider } from './http-call.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';
const bounds = { timeoutMs: 20_000 };

/** A provider that answers N requests per connection, and closes it on the next one. */
async function provider(answersPerConnection: number) {
  const requests: string[] = [];
  const server = createServer((socket: Socket) => {
    let remaining = answersPerConnection;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      requests.push(bytes.toString().split(' ', 1)[0] ?? '');
      remaining -= 1;
      if (remaining >= 0) socket.write(ok);
      else socket.destroy();
    });
  });
  const port = await listenOnLoopback(server);
  const client = createHttpClient(`http://127.0.0.1:${port}`, { maxConnections: 1 });
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  const call = (repeatable: boolean) =>
    callProvider(
      client,
      { method: 'PUT', path: '/', headers: {}, maxAnswerBytes: 100, repeatable },
      bounds,
    );
  return { call, requests };
}

describe('a keep-alive connection closed while a request is sent', () => {
  it('has a repeatable request retried on a new connection', async () => {
    const { call, requests } = await provider(1);
    for (let number = 0; number < 5; number += 1)
      expect(await call(true)).toMatchObject({ ok: true, status: 200 });
    expect(requests).toHaveLength(9);
  });

  it('leaves the outcome of other requests unknown', async () => {
    const { call, requests } = await provider(1);
    expect(await call(false)).toMatchObject({ ok: true });
    expect(await call(false)).toMatchObject({ ok: false, cause: 'error' });
    expect(requests).toHaveLength(2);
  });
});

it('retries once at most if the provider closes every connection', async () => {
  const { call, requests } = await provider(0);
  expect(await call(true)).toMatchObject({ ok: false, cause: 'error' });
  expect(requests).toHaveLength(2);
});

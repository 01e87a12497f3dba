import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { createHttpClient } from './client.ts';
import { exchange } from './exchange.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';
const request = {
  method: 'POST',
  path: '/',
  headers: {},
  body: '{}',
  maxAnswerBytes: 100,
} as const;
const bounds = { timeoutMs: 20_000 };

/** A server that responds to each request alike, and records its connections and requests. */
async function serve(respond: (socket: Socket) => void, { maxConnections = 1 } = {}) {
  const seen = { connections: 0, requests: [] as string[] };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    seen.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      seen.requests.push(bytes.toString());
      respond(socket);
    });
  });
  const port = await listenOnLoopback(server);
  const client = createHttpClient(`http://127.0.0.1:${port}`, { maxConnections });
  onTestFinished(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { client, seen };
}

const interim = (...codes: number[]) =>
  codes.map((code) => `HTTP/1.1 ${code} Interim\r\nLink: </a>\r\n\r\n`).join('');

describe('interim responses that were not requested', () => {
  it.each([[[100]], [[102]], [[103]], [[100, 100, 103, 100]]])(
    '%j are skipped, and the connection is reused',
    async (codes) => {
      const { client, seen } = await serve((socket) => void socket.write(interim(...codes) + ok));
      for (let number = 0; number < 3; number += 1) {
        const outcome = await exchange(client, request, bounds);
        expect(outcome).toMatchObject({ ok: true, status: 200, contentType: 'text/plain' });
        expect(outcome.ok && outcome.body.toString()).toBe('ok');
      }
      expect(seen.connections).toBe(1);
      expect(seen.requests).toHaveLength(3);
    },
  );

  it('are skipped when they arrive byte by byte', async () => {
    const { client } = await serve((socket) => {
      let left = interim(100, 103) + ok;
      const writeNext = () => {
        if (left === '') return;
        socket.write(left.slice(0, 1), writeNext);
        left = left.slice(1);
      };
      writeNext();
    });
    expect(await exchange(client, request, bounds)).toMatchObject({ ok: true, status: 200 });
  });

  it('fail the request if they never end', async () => {
    const { client } = await serve((socket) => {
      const writeNext = () => {
        if (!socket.destroyed) socket.write(interim(100, 102), writeNext);
      };
      writeNext();
    });
    const fault = 'ERR_INTERIM_OVERFLOW';
    expect(await exchange(client, request, bounds)).toEqual({ ok: false, cause: 'error', fault });
  });

  it('fail the request if the connection is closed after them', async () => {
    const { client } = await serve((socket) => void socket.end(interim(100)));
    const fault = 'ECONNRESET';
    expect(await exchange(client, request, bounds)).toEqual({ ok: false, cause: 'error', fault });
  });
});

it('fails on a protocol switch that was not requested', async () => {
  const switching = 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
  const { client } = await serve((socket) => void socket.write(switching + ok));
  expect(await exchange(client, request, bounds)).toMatchObject({ ok: false, cause: 'error' });
});

it('sends content-length, and no chunks', async () => {
  const { client, seen } = await serve((socket) => void socket.write(ok));
  await exchange(client, request, bounds);
  expect(seen.requests[0]).toMatch(/^POST \/ HTTP\/1\.1\r\n/);
  expect(seen.requests[0]).toMatch(/\r\ncontent-length: 2\r\n/i);
  expect(seen.requests[0]).not.toMatch(/transfer-encoding/i);
});

it('does not send a request that is aborted before it gets a connection', async () => {
  const firstReceived = Promise.withResolvers<void>();
  const answers: (() => void)[] = [];
  const { client, seen } = await serve((socket) => {
    answers.push(() => void socket.write(ok));
    firstReceived.resolve();
  });
  const first = exchange(client, request, bounds);
  await firstReceived.promise;
  const controller = new AbortController();
  const second = exchange(
    client,
    { ...request, path: '/2' },
    { ...bounds, signal: controller.signal },
  );
  controller.abort();
  expect(await second).toEqual({ ok: false, cause: 'error', fault: 'aborted' });
  answers[0]?.();
  expect(await first).toMatchObject({ ok: true });
  const third = exchange(client, { ...request, path: '/3' }, bounds);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  expect(await third).toMatchObject({ ok: true });
  expect(seen.requests.map((each) => each.split(' ')[1])).toEqual(['/', '/3']);
});

it('fails pending and queued requests when closed, and sends nothing more', async () => {
  const received = Promise.withResolvers<void>();
  const { client, seen } = await serve(() => received.resolve());
  const both = [exchange(client, request, bounds), exchange(client, request, bounds)];
  await received.promise;
  await client.close();
  const fault = 'ERR_CLIENT_CLOSED';
  for (const each of [...both, exchange(client, request, bounds)])
    expect(await each).toEqual({ ok: false, cause: 'error', fault });
  expect(seen.requests).toHaveLength(1);
});

it('returns an error for an invalid path or header, and does not throw', async () => {
  const { client, seen } = await serve(() => undefined);
  for (const wrong of [{ path: '/a b' }, { headers: { 'x-a': 'b\r\nc' } }])
    expect(await exchange(client, { ...request, ...wrong }, bounds)).toMatchObject({ ok: false });
  expect(seen.connections).toBe(0);
});

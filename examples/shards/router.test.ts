import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback, openServer } from '#infra/verify/harness/processes/loopback.ts';
import { createRouter, type Shard } from './router.ts';

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const withStatus =
  (status: number): Answer =>
  (_, outgoing) =>
    outgoing.writeHead(status).end();

/** A server that can answer otherwise later, and its requests. */
async function useServer(answer: Answer) {
  const requests: IncomingMessage[] = [];
  const server = { answer, requests, url: '' };
  const { url, close } = await openServer((incoming, outgoing) => {
    requests.push(incoming);
    server.answer(incoming, outgoing);
  });
  onTestFinished(close);
  server.url = url;
  return server;
}

/** A router before two shards, each with one server for everything. */
async function useRouter(first: Answer, second: Answer) {
  let nowMs = 1_000;
  const servers = [await useServer(first), await useServer(second)] as const;
  const shards = servers.map(({ url }, at): Shard => ({
    name: at === 0 ? 'a' : 'b',
    api: url,
    pay: url,
    callbacks: url,
  }));
  const router = createRouter(shards, { now: () => nowMs });
  const port = await listenOnLoopback(router);
  onTestFinished(() => {
    router.closeAllConnections();
    router.close();
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    servers,
    port,
    pass: (ms: number) => void (nowMs += ms),
    send: (path: string, headers: Record<string, string> = { 'x-api-key': 'key' }) =>
      fetch(`${url}${path}`, { headers }),
  };
}

/** The answer to a request with exactly this target. */
async function sendRaw(port: number, target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST ${target} HTTP/1.1\r\nHost: router\r\nX-Api-Key: secret\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  return text(socket);
}

it.each([
  (host: string) => `//${host}/v1/payment`,
  (host: string) => `/.//${host}/v1/payment`,
  (host: string) => `/v1/..//${host}/v1/payment`,
  (host: string) => `/.\\\\${host}/v1/payment`,
  (host: string) => `/\\${host}/v1/payment`,
  (host: string) => `http://${host}/v1/payment`,
  (host: string) => `http://router//${host}/v1/payment`,
  (host: string) => `/callbacks/a//${host}/sandbox`,
  (host: string) => `/callbacks/a/.\\\\${host}/sandbox`,
  (host: string) => `/receipts/.//${host}/00000000-0000-4000-8000-000000000000`,
])('sends a request to no host but the shards: %s', async (targetAt) => {
  const { port, servers } = await useRouter(withStatus(200), withStatus(401));
  const victim = await useServer(withStatus(200));
  const { host } = new URL(victim.url);
  const target = targetAt(host);
  const answer = await sendRaw(port, target);
  expect(victim.requests).toEqual([]);
  const paths = servers.flatMap(({ requests }) => requests.map(({ url }) => url));
  const isPassed = paths.includes(target.replace('/callbacks/a', '/callbacks'));
  expect(isPassed || answer.startsWith('HTTP/1.1 400')).toBe(true);
});

it('refuses an absolute URL and an asterisk', async () => {
  const { port } = await useRouter(withStatus(200), withStatus(200));
  for (const target of ['http://router/v1/balances', '*'])
    expect(await sendRaw(port, target)).toMatch(/^HTTP\/1\.1 400 /);
});

it('does not count a limit of requests as ownership, and claims nothing meanwhile', async () => {
  const { send, servers } = await useRouter(withStatus(429), withStatus(401));
  const limited = await send('/v1/balances');
  expect(limited.status).toBe(503);
  servers[0].answer = withStatus(401);
  servers[1].answer = withStatus(200);
  expect((await send('/v1/balances')).status).toBe(200);
});

it('lets clients that it refuses together return apart (R2.9)', async () => {
  const { send } = await useRouter(withStatus(429), withStatus(401));
  const times = new Set<number>();
  for (let request = 0; request < 40; request += 1)
    times.add(Number((await send('/v1/balances')).headers.get('retry-after')));
  expect(times.size).toBeGreaterThan(1);
  for (const seconds of times) expect([1, 2, 3]).toContain(seconds);
});

it('finds a new owner after the former has expired', async () => {
  const { send, servers, pass } = await useRouter(withStatus(200), withStatus(401));
  expect((await send('/v1/balances')).status).toBe(200);
  // It would still answer, but not as the owner.
  servers[0].answer = ({ url }, outgoing) =>
    outgoing.writeHead(url === '/v1/balances' ? 401 : 202).end();
  servers[1].answer = withStatus(200);
  expect((await send('/v1/journal')).status).toBe(202);
  pass(3_600_000);
  expect((await send('/v1/journal')).status).toBe(200);
});

it.each([
  ['a key', '/v1/balances', 401],
  ['an operation', '/00000000-0000-4000-8000-000000000000', 404],
])('finds the new owner of %s after the former did not know it', async (_, path, status) => {
  const { send, servers } = await useRouter(withStatus(200), withStatus(status));
  expect((await send(path)).status).toBe(200);
  servers[0].answer = withStatus(status);
  servers[1].answer = withStatus(200);
  expect((await send(path)).status).toBe(status);
  expect((await send(path)).status).toBe(200);
});

it('does not wait for a shard that does not answer once the owner has', async () => {
  const { send, servers } = await useRouter(() => undefined, withStatus(200));
  expect((await send('/v1/balances')).status).toBe(200);
  expect(servers[0].requests.map(({ destroyed }) => destroyed)).toEqual([false]);
});

it('shows the client’s address to the shards, also with a probe', async () => {
  const { send, servers } = await useRouter(withStatus(200), withStatus(401));
  await send('/v1/balances');
  await send('/v1/balances', { 'x-api-key': 'key', 'x-forwarded-for': '203.0.113.9' });
  const seen = servers.map(({ requests }) =>
    requests.map(({ headers }) => headers['x-forwarded-for']),
  );
  expect(seen).toEqual([['127.0.0.1', '127.0.0.1', '203.0.113.9, 127.0.0.1'], ['127.0.0.1']]);
});

const withKeys =
  (...keys: string[]): Answer =>
  ({ url }, outgoing) =>
    void (url === '/.well-known/checkpoint-keys'
      ? outgoing.end(JSON.stringify({ keys: keys.map((id) => ({ key_id: id })) }))
      : outgoing.writeHead(404).end());

it('answers the checkpoint keys of all shards, or none of them', async () => {
  const { send, servers } = await useRouter(withKeys('one', 'two'), withKeys('three'));
  const answer = await send('/.well-known/checkpoint-keys', {});
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  const { keys } = (await answer.json()) as { keys: unknown };
  expect(keys).toEqual([{ key_id: 'one' }, { key_id: 'two' }, { key_id: 'three' }]);
  servers[1].answer = withStatus(503);
  expect((await send('/.well-known/checkpoint-keys', {})).status).toBe(503);
});

it('ends an answer that its shard breaks off', async () => {
  const { send, servers } = await useRouter(withStatus(200), withStatus(401));
  await send('/v1/balances');
  servers[0].answer = (_, outgoing) => {
    outgoing.writeHead(200);
    outgoing.write('the first part', () => outgoing.destroy());
  };
  const answer = await send('/v1/journal');
  await expect(answer.text()).rejects.toThrow(/./);
});

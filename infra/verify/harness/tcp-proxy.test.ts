import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { listenOnLoopback } from './loopback.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** A client of an echo server through a proxy. */
async function throughProxy() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  const proxy = await startTcpProxy(`tcp://127.0.0.1:${await listenOnLoopback(server)}`);
  const client = connect(proxy.port, '127.0.0.1');
  client.on('error', () => undefined);
  await once(client, 'connect');
  let received = '';
  client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  onTestFinished(async () => {
    client.destroy();
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const receives = (text: string) =>
    waitUntil(`${text} comes`, () => received === text, { timeoutMs: 20_000 });
  return { proxy, server, client, receives, received: () => received };
}

/** Long enough for data sent earlier through the proxy to have arrived. */
async function talkDirectly(server: Server): Promise<void> {
  const direct = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (let round = 0; round < 50; round += 1) {
    direct.write('x');
    await once(direct, 'data');
  }
  direct.destroy();
}

it('forwards data in order, also while it is slow', async () => {
  const { proxy, client, receives } = await throughProxy();
  client.write('a');
  await receives('a');
  proxy.slow(40);
  const beganAt = performance.now();
  client.write('b');
  await receives('ab');
  // Delayed once in each direction.
  expect(performance.now() - beganAt).toBeGreaterThan(75);
  client.write('c');
  proxy.slow(0);
  client.write('d');
  await receives('abcd');
});

it('holds all data while stalled, including data already delayed', async () => {
  const { proxy, server, client, receives, received } = await throughProxy();
  proxy.slow(5);
  client.write('a');
  proxy.stall();
  proxy.slow(0);
  client.write('b');
  await talkDirectly(server);
  expect(received()).toBe('');
  proxy.resume();
  await receives('ab');
});

it('holds responses while requests pass', async () => {
  const { proxy, server, client, receives, received } = await throughProxy();
  client.write('a');
  await receives('a');
  proxy.holdAnswers();
  client.write('b');
  await talkDirectly(server);
  expect(received()).toBe('a');
  proxy.releaseAnswers();
  await receives('ab');
  client.write('c');
  await receives('abc');
});

it('breaks every connection, and accepts new ones', async () => {
  const { proxy, client } = await throughProxy();
  const closed = once(client, 'close');
  proxy.cut();
  await closed;
  const again = connect(proxy.port, '127.0.0.1');
  await once(again, 'connect');
  again.destroy();
  expect(client.destroyed).toBe(true);
});

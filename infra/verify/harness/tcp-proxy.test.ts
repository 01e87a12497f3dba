import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** A client of a server that says everything again, through a proxy. */
async function throughProxy() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startTcpProxy({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
  });
  const client = connect(proxy.port, '127.0.0.1');
  client.on('error', () => undefined);
  await once(client, 'connect');
  let heard = '';
  client.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  onTestFinished(async () => {
    client.destroy();
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const hears = (text: string) =>
    waitUntil(`${text} comes`, () => heard === text, { timeoutMs: 20_000 });
  return { proxy, server, client, hears, heard: () => heard };
}

/** So long that what was sent through the proxy before would have been heard. */
async function talkDirectly(server: Server): Promise<void> {
  const direct = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (let round = 0; round < 50; round += 1) {
    direct.write('x');
    await once(direct, 'data');
  }
  direct.destroy();
}

it('passes on what comes, in order, also while it is slow', async () => {
  const { proxy, client, hears } = await throughProxy();
  client.write('a');
  await hears('a');
  proxy.slow(40);
  const beganAt = performance.now();
  client.write('b');
  await hears('ab');
  // Once on the way there and once on the way back.
  expect(performance.now() - beganAt).toBeGreaterThan(75);
  client.write('c');
  proxy.slow(0);
  client.write('d');
  await hears('abcd');
});

it('holds everything while it is stalled, also what was on its slow way', async () => {
  const { proxy, server, client, hears, heard } = await throughProxy();
  proxy.slow(5);
  client.write('a');
  proxy.stall();
  proxy.slow(0);
  client.write('b');
  await talkDirectly(server);
  expect(heard()).toBe('');
  proxy.resume();
  await hears('ab');
});

it('holds answers while requests get through', async () => {
  const { proxy, server, client, hears, heard } = await throughProxy();
  client.write('a');
  await hears('a');
  proxy.holdAnswers();
  client.write('b');
  await talkDirectly(server);
  expect(heard()).toBe('a');
  proxy.releaseAnswers();
  await hears('ab');
  client.write('c');
  await hears('abc');
});

it('breaks every connection, and takes new ones', async () => {
  const { proxy, client } = await throughProxy();
  const closed = once(client, 'close');
  proxy.cut();
  await closed;
  const again = connect(proxy.port, '127.0.0.1');
  await once(again, 'connect');
  again.destroy();
  expect(client.destroyed).toBe(true);
});

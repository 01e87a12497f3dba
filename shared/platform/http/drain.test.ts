import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { trackConnections } from './connections.ts';
import { drain } from './drain.ts';

/** A server with one request in progress, and what its client has received. */
async function busyServer() {
  const responses: ServerResponse[] = [];
  const server = createServer((_incoming, outgoing) => void responses.push(outgoing));
  const connections = trackConnections(server);
  const port = await listenOnLoopback(server);
  onTestFinished(() => server.closeAllConnections());
  const open = async (request = ''): Promise<{ socket: Socket; received: () => string }> => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(request);
    return { socket, received: () => received };
  };
  const idle = await open();
  const busy = await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => responses.length).toBe(1);
  return { server, port, connections, responses, idle, busy };
}

it('answers a request in progress, and closes its connection and idle ones', async () => {
  const { server, connections, responses, idle, busy } = await busyServer();
  const drained = drain(server, connections, 60_000);
  await once(idle.socket, 'close');
  responses[0]?.end('late');
  await drained;
  await expect.poll(busy.received).toMatch(/^HTTP\/1\.1 200 [^]*late/);
  expect(busy.received().toLowerCase()).toContain('connection: close');
});

it('cuts off a request that takes longer than the limit', async () => {
  const { server, connections, busy } = await busyServer();
  const cut = once(busy.socket, 'close');
  await drain(server, connections, 10);
  await cut;
  expect(busy.received()).toBe('');
});

it('answers a request whose connection is not accepted yet', async () => {
  const { server, port, connections, responses, busy } = await busyServer();
  responses[0]?.end('early');
  await expect.poll(busy.received).toContain('early');
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk))).on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  // By then the kernel has the connection, which the server has not accepted.
  await new Promise((resolve) => process.nextTick(resolve));
  const drained = drain(server, connections, 60_000);
  await expect.poll(() => responses.length).toBe(2);
  responses[1]?.end('late');
  await drained;
  await expect.poll(() => received).toContain('late');
});

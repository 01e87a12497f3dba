import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { oneAtATime } from './pipelining.ts';

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** A server whose responses are ended by the test, and a connection to it. */
async function connection() {
  const handled: string[] = [];
  const open: ServerResponse[] = [];
  const server = createServer(
    oneAtATime((incoming, outgoing) => {
      handled.push(incoming.url ?? '');
      open.push(outgoing);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received: string[] = [];
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => received.push(text));
  socket.on('error', () => undefined);
  return { socket, handled, open, received: () => received.join('') };
}

describe('pipelined requests', () => {
  it('are handled one after the other, and answered in their order', async () => {
    const { socket, handled, open, received } = await connection();
    socket.write(request('/1') + request('/2') + request('/3'));
    for (const path of ['/1', '/2', '/3']) {
      await expect.poll(() => handled.at(-1)).toBe(path);
      expect(open).toHaveLength(1);
      open.shift()?.end(`answer to ${path}`);
    }
    await expect.poll(received).toContain('answer to /3');
    expect(received().match(/answer to \S\d/g)).toEqual(
      ['/1', '/2', '/3'].map((path) => `answer to ${path}`),
    );
  });

  it('on one connection do not wait for another’s', async () => {
    const first = await connection();
    first.socket.write(request('/held') + request('/waiting'));
    await expect.poll(() => first.handled).toEqual(['/held']);
    const second = await connection();
    second.socket.write(request('/other'));
    await expect.poll(() => second.handled).toEqual(['/other']);
    expect(first.handled).toEqual(['/held']);
  });

  it('close the connection when too many wait, with one handled', async () => {
    const { socket, handled } = await connection();
    socket.write(Array.from({ length: 1_000 }, (_, number) => request(`/${number}`)).join(''));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(handled).toEqual(['/0']);
  });

  it('are handled again on a connection that was idle', async () => {
    const { socket, handled, open, received } = await connection();
    socket.write(request('/1'));
    await expect.poll(() => open.length).toBe(1);
    open.shift()?.end('first');
    await expect.poll(received).toContain('first');
    socket.write(request('/2'));
    await expect.poll(() => handled).toEqual(['/1', '/2']);
  });
});

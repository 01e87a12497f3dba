import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { oneAtATime } from './pipelining.ts';

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** A server whose responses are ended by the test, and a connection to it. */
async function connection() {
  const handled: string[] = [];
  const open: ServerResponse[] = [];
  let ofServer: Socket | undefined;
  const server = createServer(
    oneAtATime((incoming, outgoing) => {
      handled.push(incoming.url ?? '');
      open.push(outgoing);
    }),
  );
  server.on('connection', (each) => (ofServer = each));
  const port = await listenOnLoopback(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const socket = connect(port, '127.0.0.1');
  const received: string[] = [];
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => received.push(text));
  socket.on('error', () => undefined);
  const bytesRead = () => ofServer?.bytesRead ?? 0;
  return { socket, handled, open, received: () => received.join(''), bytesRead };
}

/** Answers each request as soon as it is handled, until `done` and none is open. */
function answerUntil(open: ServerResponse[], done: () => boolean): void {
  for (const outgoing of open.splice(0)) outgoing.end(`answer to ${outgoing.req.url}.`);
  if (!done() || open.length > 0) setImmediate(() => answerUntil(open, done));
}

describe('pipelined requests', () => {
  it('are handled one after the other, and answered in order', async () => {
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

  it('do not wait for those of another connection', async () => {
    const first = await connection();
    first.socket.write(request('/open') + request('/waiting'));
    await expect.poll(() => first.handled).toEqual(['/open']);
    const second = await connection();
    second.socket.write(request('/other'));
    await expect.poll(() => second.handled).toEqual(['/other']);
    expect(first.handled).toEqual(['/open']);
  });

  it('are all answered if they arrive in one packet', async () => {
    const { socket, handled, open, received } = await connection();
    socket.write(Array.from({ length: 100 }, (_, number) => request(`/${number}`)).join(''));
    answerUntil(open, () => handled.length === 100);
    await expect.poll(received).toContain('answer to /99.');
    expect(received().match(/answer to \S\d+/g)).toHaveLength(100);
  });

  it('are not read while too many wait, and are read again afterwards', async () => {
    const { socket, handled, open, bytesRead } = await connection();
    const count = 30_000;
    const flood = Array.from({ length: count }, (_, number) => request(`/${number}`)).join('');
    const sent = new Promise((resolve) => socket.write(flood, resolve));
    await expect.poll(() => open.length).toBe(1);
    // A second connection shows that the event loop has run.
    const other = await connection();
    other.socket.write(request('/other'));
    await expect.poll(() => other.handled).toEqual(['/other']);
    expect(bytesRead()).toBeLessThan(256 * 1024);
    expect(handled).toEqual(['/0']);
    answerUntil(open, () => handled.length === count);
    await sent;
    await expect.poll(() => handled.length).toBe(count);
  });

  it('are not handled after a response that closes the connection', async () => {
    const { socket, handled, open } = await connection();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(request('/last') + request('/after'));
    await expect.poll(() => open.length).toBe(1);
    open.shift()?.setHeader('connection', 'close').end();
    await closed;
    expect(handled).toEqual(['/last']);
  });

  it('are handled on a connection that was idle', async () => {
    const { socket, handled, open, received } = await connection();
    socket.write(request('/1'));
    await expect.poll(() => open.length).toBe(1);
    open.shift()?.end('first');
    await expect.poll(received).toContain('first');
    socket.write(request('/2'));
    await expect.poll(() => handled).toEqual(['/1', '/2']);
  });
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { trackConnections, type Connection } from './connections.ts';

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A server with one connection: the client's socket, and what the server tracks. */
async function startOne(answer: Answer): Promise<{ client: Socket; tracked: () => Connection[] }> {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  const connections = trackConnections(server);
  const client = connect(await listenOnLoopback(server), '127.0.0.1');
  onTestFinished(() => void (client.destroy(), server.close()));
  await once(client, 'connect');
  return { client, tracked: () => [...connections.values()] };
}

const whole = 'POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 2\r\n\r\nab';
const half = 'POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 20\r\n\r\nab';

describe('connection', () => {
  it('references no response while it is idle', async () => {
    const { client, tracked } = await startOne((incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.end('done'));
    });
    for (let request = 0; request < 2; request += 1) {
      client.write(whole);
      await once(client, 'data');
      await expect.poll(tracked).toEqual([{ outgoing: undefined }]);
    }
  });

  it('references its response while its request still arrives', async () => {
    const { client, tracked } = await startOne((_, outgoing) => outgoing.end('no'));
    client.write(half);
    await once(client, 'data');
    await expect.poll(tracked).toMatchObject([{ outgoing: { writableFinished: true } }]);
  });

  it('is removed when it is closed', async () => {
    const { client, tracked } = await startOne((_, outgoing) => outgoing.end('done'));
    await expect.poll(tracked).toHaveLength(1);
    client.destroy();
    await expect.poll(tracked).toEqual([]);
  });
});

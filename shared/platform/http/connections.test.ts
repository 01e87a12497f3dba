import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectionsOf, type Connection } from './connections.ts';

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * A server, and one connection to it: what the client holds of it, and what the server knows about
 * it.
 */
async function startOne(answer: Answer): Promise<{ client: Socket; known: () => Connection[] }> {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  const connections = connectionsOf(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void (client.destroy(), server.close()));
  await once(client, 'connect');
  return { client, known: () => [...connections.values()] };
}

const whole = 'POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 2\r\n\r\nab';
const half = 'POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 20\r\n\r\nab';

describe('a connection', () => {
  it('that rests holds neither its last request nor the answer', async () => {
    const { client, known } = await startOne((incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.end('done'));
    });
    for (let request = 0; request < 2; request += 1) {
      client.write(whole);
      await once(client, 'data');
      await expect.poll(known).toEqual([{ outgoing: undefined }]);
    }
  });

  it('whose request still comes holds the answer that it has got', async () => {
    const { client, known } = await startOne((_, outgoing) => outgoing.end('no'));
    client.write(half);
    await once(client, 'data');
    await expect.poll(known).toMatchObject([{ outgoing: { writableFinished: true } }]);
  });

  it('that is closed is forgotten', async () => {
    const { client, known } = await startOne((_, outgoing) => outgoing.end('done'));
    await expect.poll(known).toHaveLength(1);
    client.destroy();
    await expect.poll(known).toEqual([]);
  });
});

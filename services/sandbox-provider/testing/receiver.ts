import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  wireSnapshotSchema,
  type WireSnapshot,
} from '#shared/application/providers/sandbox/wire.ts';

export type Received = { headers: Headers; body: Buffer; snapshot: WireSnapshot };

/**
 * A gateway's callback endpoint that records what it receives and responds with the status that
 * `answer` returns.
 */
export async function startReceiver(
  answer: (index: number, received: Received) => number = () => 204,
) {
  const received: Received[] = [];
  const server = createServer((request, response) => void receive(request, response));
  async function receive(request: IncomingMessage, response: ServerResponse) {
    const body = await buffer(request);
    const one = {
      headers: new Headers(request.headers as Record<string, string>),
      body,
      snapshot: wireSnapshotSchema.parse(JSON.parse(body.toString('utf8'))),
    };
    received.push(one);
    response.writeHead(answer(received.length - 1, one)).end();
  }
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callbacks/sandbox`,
    received,
    of: (operationId: string) =>
      received.filter(({ snapshot }) => snapshot.operation_id === operationId),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

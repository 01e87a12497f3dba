import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  wireSnapshotSchema,
  type WireSnapshot,
} from '#shared/application/providers/sandbox/wire.ts';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';

export type Received = { headers: Headers; body: Buffer; snapshot: WireSnapshot };

/**
 * A gateway's callback endpoint that records what it receives and responds with the status that
 * `answer` returns.
 */
export async function startReceiver(
  answer: (index: number, received: Received) => number = () => 204,
) {
  const received: Received[] = [];
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
  const { url, close } = await openServer((request, response) => void receive(request, response));
  return {
    url: `${url}/callbacks/sandbox`,
    received,
    of: (operationId: string) =>
      received.filter(({ snapshot }) => snapshot.operation_id === operationId),
    stop: close,
  };
}

import { Server, ServerCredentials } from '@grpc/grpc-js';
import { startFront } from '#infra/event-store-node/http/front.ts';
import { frame } from '#infra/event-store-node/protocol/framing.ts';
import { runCall } from '#infra/event-store-node/protocol/grpc-call.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';
import { ECHO_PATH, ECHO_SERVICE } from './echo-service.ts';
import type { EchoCall } from './echo-service.ts';

/** `own` is the node's gRPC layer, `grpc-js` the library's. */
export type EchoServerOrder = { order: 'listen'; layer: 'own' | 'grpc-js' };

async function startOwn(): Promise<number> {
  const front = await startFront('127.0.0.1', 0, {
    onRequest: () => ({ status: 404 }),
    onCall(stream, path) {
      if (path !== ECHO_PATH) return;
      runCall(
        stream,
        (call) => ({
          onMessage: (message) => call.send(frame(message)),
          onHalfClose: () => call.end(),
        }),
        (error) => {
          throw error;
        },
      );
    },
  });
  return front.port;
}

function startLibrary(): Promise<number> {
  const server = new Server();
  server.addService(ECHO_SERVICE, {
    echo(call: EchoCall) {
      call.on('data', (message: Buffer) => call.write(message));
      call.on('end', () => call.end());
    },
  });
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

serveOrders(async ({ layer }: EchoServerOrder) => ({
  port: await (layer === 'own' ? startOwn() : startLibrary()),
}));

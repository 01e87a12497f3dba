import { Client, credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { closedLoop } from '#infra/lab/load/loops.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';
import { ECHO_PATH } from './echo-service.ts';
import { messageBytes } from './fsync.ts';

export type EchoClientOrder =
  | { order: 'connect'; port: number }
  | { order: 'measure'; width: number; durationMs: number };

// Drives an echo server from a process of its own: the store's client must not share compiled code
// with it.
const identity = (bytes: Buffer): Buffer => bytes;
const message = Buffer.alloc(messageBytes, 1);
const waiting: (() => void)[] = [];
let call: ClientDuplexStream<Buffer, Buffer> | undefined;

/** One duplex call, answers in the order of the questions. */
function connect(port: number): object {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  call = client.makeBidiStreamRequest(ECHO_PATH, identity, identity);
  call.on('data', () => waiting.shift()?.());
  call.on('error', () => undefined);
  return {};
}

const echo = () =>
  new Promise<void>((resolve) => {
    waiting.push(resolve);
    call?.write(message);
  });

serveOrders((order: EchoClientOrder) =>
  order.order === 'connect'
    ? connect(order.port)
    : closedLoop({ clients: order.width, durationMs: order.durationMs }, echo),
);

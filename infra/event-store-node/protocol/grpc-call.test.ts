import { connect } from 'node:http2';
import { expect, it, onTestFinished } from 'vitest';
import { MalformedMessageError } from '#shared/platform/protobuf/reader.ts';
import { startFront } from '../http/front.ts';
import { frame } from './framing.ts';
import { runCall } from './grpc-call.ts';
import type { GrpcCall, GrpcMethod } from './grpc-call.ts';

type End = {
  readonly status: string | undefined;
  readonly message: string;
  readonly bytes: number;
};

const hello = frame(Buffer.from('hello'));
/** More than the flow control of a client allows while it reads nothing. */
const manyBytes = 3 * 1024 * 1024;

/**
 * Makes a bidirectional call that the client never ends, sends `bytes`, and returns how the server
 * ended it.
 */
async function endOf(
  method: GrpcMethod,
  bytes: readonly Buffer[],
  { readAfterMs = 0 } = {},
): Promise<End> {
  const front = await startFront('127.0.0.1', 0, {
    onRequest: () => ({ status: 404 }),
    onCall: (stream) => runCall(stream, method, () => undefined),
  });
  const session = connect(`http://127.0.0.1:${front.port}`);
  onTestFinished(async () => {
    session.destroy();
    await front.close(0);
  });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/',
    'content-type': 'application/grpc',
  });
  const ended = new Promise<End>((resolve) => {
    let headers: Record<string, unknown> = {};
    let received = 0;
    stream.on('response', (first) => (headers = { ...headers, ...first }));
    stream.on('trailers', (last) => (headers = { ...headers, ...last }));
    setTimeout(() => stream.on('data', (chunk: Buffer) => (received += chunk.length)), readAfterMs);
    stream.on('error', () => undefined);
    // Not 'close': a client with bytes left to send may stay half open.
    stream.once('end', () => {
      const text = (name: string) => headers[name] as string | undefined;
      resolve({
        status: text('grpc-status'),
        message: text('grpc-message') ?? '',
        bytes: received,
      });
    });
  });
  for (const part of bytes) stream.write(part);
  return ended;
}

/** A method that answers `hello`, and calls `act` on any other message. */
const answering =
  (act: (call: GrpcCall) => void): GrpcMethod =>
  (call) => ({
    onMessage(message) {
      if (message.equals(hello.subarray(5))) call.send(frame(Buffer.from('welcome')));
      else act(call);
    },
    onHalfClose: () => call.end(),
  });

const refusing = answering((call) =>
  call.end({ code: 8, message: 'Too many unfinished appends.' }),
);
const go = frame(Buffer.from('go'));
const tooLarge = Buffer.from([0, 2, 0, 0, 0]);
const compressed = Buffer.from([1, 0, 0, 0, 0]);
const malformed = answering(() => {
  throw new MalformedMessageError('a varint that does not end');
});
const broken = answering(() => {
  throw new Error('a bug');
});
const brokenLater = answering((call) =>
  setImmediate(() =>
    call.guard(() => {
      throw new Error('a bug');
    }),
  ),
);

it.each([
  ['a refusal', refusing, go, '8'],
  ['a successful end', answering((call) => call.end()), go, '0'],
  ['a message above the limit', refusing, tooLarge, '8'],
  ['a compressed message', refusing, compressed, '12'],
  ['a malformed message', malformed, go, '13'],
  ['a bug', broken, go, '2'],
  ['a bug in a later callback', brokenLater, go, '2'],
])('delivers a status while the client continues to send: %s', async (_, method, last, status) => {
  const afterAnswer = await endOf(method, [hello, last]);
  expect({ after: 'an answer', ...afterAnswer }).toMatchObject({ status, bytes: 12 });
  const atOnce = await endOf(method, [last]);
  expect({ after: 'nothing', ...atOnce }).toMatchObject({ status, bytes: 0 });
  const whileSending = await endOf(method, [hello, last, frame(Buffer.alloc(manyBytes))]);
  expect({ after: 'an answer, more on its way', ...whileSending }).toMatchObject({
    status,
    bytes: 12,
  });
});

it('delivers a status after all sent messages to a slow client', async () => {
  const method = answering((call) => {
    call.send(frame(Buffer.alloc(manyBytes)));
    call.end({ code: 10, message: 'gone' });
  });
  const end = await endOf(method, [hello, go], { readAfterMs: 300 });
  expect(end).toEqual({ status: '10', message: 'gone', bytes: 12 + manyBytes + 5 });
});

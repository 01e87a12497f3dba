import { binaryEvent } from '@eventstore/db-client';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseTarget } from './support/raw-target.ts';
import { batchRequest, stringId } from './support/raw-batch.ts';
import { collect, connect, event, freshStream, rejection, storeUrl } from './support/store.ts';
import { randomUUID } from 'node:crypto';

const frameOf = (message: Uint8Array): Buffer => {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
};

const appendFrame = (): Buffer =>
  frameOf(
    batchRequest({
      correlation: stringId(randomUUID()),
      stream: freshStream(),
      proposals: [{}],
      isFinal: true,
    }).serializeBinary(),
  );

/**
 * Makes a BatchAppend call of these frames that the client never ends; returns the headers and
 * trailers received.
 */
const callOf = async (first: Buffer | undefined, last: Buffer): Promise<IncomingHttpHeaders> => {
  const session = connectHttp2(`http://${parseTarget(storeUrl())}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': '/event_store.client.streams.Streams/BatchAppend',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  let headers: IncomingHttpHeaders = {};
  stream.on('response', (begin) => (headers = { ...headers, ...begin }));
  stream.on('trailers', (end) => (headers = { ...headers, ...end }));
  // A reset without an error follows the status.
  stream.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()));
  if (first !== undefined) {
    const answered = new Promise<void>((resolve) => stream.once('data', () => resolve()));
    stream.write(first);
    await answered;
  }
  stream.resume();
  stream.write(last);
  await closed;
  return headers;
};

describe('a call that the store ends while the client continues to send', () => {
  it.each([
    ['a message of 17 MB', Buffer.from([0, 1, 16, 0, 0]), ['8']],
    ['a compressed message', Buffer.from([1, 0, 0, 0, 1, 0]), ['12', '13']],
    ['an invalid message', frameOf(Buffer.from([0xff, 0xff])), ['2', '13']],
  ])('receives the status after %s', async (_, last, codes) => {
    expect(codes).toContain((await callOf(undefined, last))['grpc-status']);
    expect(codes).toContain((await callOf(appendFrame(), last))['grpc-status']);
  });

  it('rejects an event of 17 MB, and lets the same client append again', async () => {
    const client = connect();
    const stream = freshStream();
    await client.appendToStream(stream, event());
    const large = binaryEvent({ type: 'large', data: new Uint8Array(17 * 1024 * 1024) });
    expect(await rejection(client.appendToStream(stream, large))).toMatchObject({ code: 8 });
    await client.appendToStream(stream, event());
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });
});

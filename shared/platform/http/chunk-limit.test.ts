import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { chunksTooSmall, limitChunks } from './chunk-limit.ts';

/** Encoded chunks of this size. */
const chunksOf = (count: number, bytes: number) =>
  `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count);

/** Sends the body to a server, and returns what the server has counted. */
async function receive(body: string) {
  const seen = { chunks: 0, bytes: 0, ended: false, refusals: [] as string[] };
  const server: Server = createServer((incoming, outgoing) => {
    incoming.on('data', (chunk: Buffer) => {
      seen.chunks += 1;
      seen.bytes += chunk.byteLength;
    });
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      seen.ended = true;
      outgoing.end();
    });
  });
  limitChunks(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    seen.refusals.push(error.code ?? '');
    socket.destroy();
  });
  const port = await listenOnLoopback(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head =
    'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  socket.resume();
  socket.write(head + body);
  await new Promise((resolve) => socket.once('close', resolve));
  return seen;
}

describe('chunked body', () => {
  it('is read if its chunks are large, in any number', async () => {
    const seen = await receive(`${chunksOf(5_000, 300)}0\r\n\r\n`);
    expect(seen).toMatchObject({ bytes: 5_000 * 300, ended: true, refusals: [] });
  });

  it('is read if its small chunks are few', async () => {
    const seen = await receive(`${chunksOf(1_000, 1)}0\r\n\r\n`);
    expect(seen).toMatchObject({ bytes: 1_000, ended: true, refusals: [] });
  });

  it('is rejected at its 1,001st tiny chunk, which is not delivered', async () => {
    const seen = await receive(`${chunksOf(20_000, 1)}0\r\n\r\n`);
    expect(seen).toEqual({ chunks: 1_000, bytes: 1_000, ended: false, refusals: [chunksTooSmall] });
  });

  it('is cut off if it continues after the response', async () => {
    let read = () => 0;
    const server = createServer((incoming, outgoing) => {
      read = () => incoming.socket.bytesRead;
      outgoing.writeHead(401).end();
    });
    limitChunks(server);
    const port = await listenOnLoopback(server);
    onTestFinished(() => void server.close());
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await once(socket, 'data');
    const flood = chunksOf(2_000_000, 1);
    socket.write(flood);
    await closed;
    expect(read()).toBeLessThan(flood.length);
  });

  it('is rejected if its chunks become tiny later', async () => {
    const seen = await receive(`${chunksOf(1_000, 256)}${chunksOf(20_000, 1)}0\r\n\r\n`);
    expect(seen).toMatchObject({ ended: false, refusals: [chunksTooSmall] });
    expect(seen.chunks).toBeLessThan(1_010);
  });
});

import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** The average is not checked for a body of so few chunks. */
const freeChunks = 1_000;
/** The least average size of the chunks beyond those, in bytes. */
const minAverageBytes = 256;

/** Bytes of a chunked body that a client may still send after the response. */
const bytesAfterResponse = 256 * 1024;
const pollEveryMs = 50;

export const chunksTooSmall = 'CHUNKS_TOO_SMALL';

/**
 * Refuses bodies in tiny HTTP chunks: each chunk costs a pass through every reader, whatever its
 * size, and all chunks of one network packet are handled before anything else can run. It counts
 * where Node hands the chunks over, so that it applies to any reader and to a body without one. The
 * refusal is the server's `clientError`, with the code `CHUNKS_TOO_SMALL`. Once the response is
 * out, Node drops chunks uncounted: then the connection ends after 256 KiB.
 */
export function limitChunks(server: Server): void {
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.headers['transfer-encoding'] === undefined) return;
    outgoing.once('finish', () => limitRemainder(incoming));
    const push = incoming.push.bind(incoming);
    let chunks = 0;
    let bytes = 0;
    incoming.push = (chunk: Uint8Array | null, ...rest) => {
      if (chunk === null) return push(chunk, ...rest);
      chunks += 1;
      bytes += chunk.byteLength;
      if (chunks <= freeChunks || bytes >= chunks * minAverageBytes) return push(chunk, ...rest);
      incoming.push = () => false;
      const error = Object.assign(new Error('chunks too small'), { code: chunksTooSmall });
      server.emit('clientError', error, incoming.socket);
      return false;
    };
  });
}

/** Ends the connection of a request whose body continues for long after the response. */
function limitRemainder(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  const { socket } = incoming;
  const before = socket.bytesRead;
  const timer = setInterval(() => {
    if (socket.bytesRead - before > bytesAfterResponse) socket.destroy();
  }, pollEveryMs);
  const stop = (): void => clearInterval(timer);
  incoming.once('close', stop);
  socket.once('close', stop);
}

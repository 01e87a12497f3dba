import type { IncomingMessage, Server } from 'node:http';

/** A body of so few chunks may have them as small as it likes. */
const freeChunks = 1_000;
/** Beyond those, the bytes that a chunk has on average, at least. */
const minAverageBytes = 256;

export const chunksTooSmall = 'CHUNKS_TOO_SMALL';

/**
 * Refuses bodies in tiny HTTP chunks: each chunk costs a pass through every reader, whatever its
 * size, and all chunks of one network packet are handled before anything else can run. It counts
 * where Node hands the chunks over, so that it holds for any reader and for a body nobody reads.
 * The refusal is the server's `clientError`, with the code `CHUNKS_TOO_SMALL`.
 */
export function limitChunks(server: Server): void {
  server.prependListener('request', (incoming: IncomingMessage) => {
    if (incoming.headers['transfer-encoding'] === undefined) return;
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

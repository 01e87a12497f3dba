import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from './connections.ts';

const looksPerDeadline = 10;

/** The bytes that a connection had been given at a look, in all, and when that was. */
type Waiting = { until: number; since: number };

/**
 * Ends connections whose client does not take what it asked for: bytes that have waited for
 * `timeoutMs`, however slowly they trickle, and whatever else it asks for meanwhile. What an answer
 * has to say in small pieces over a long time, such as a stream of events, is not meant: it waits
 * for nobody as long as each piece is taken.
 */
export function cutSlowReaders(server: Server, connections: Connections, timeoutMs: number): void {
  const waiting = new WeakMap<Duplex, Waiting>();
  // One look at all of them from time to time: a timer for each answer would cost every request.
  const looking = setInterval(() => {
    const now = performance.now();
    for (const socket of connections.keys()) {
      const { writableLength } = socket;
      if (writableLength === 0) {
        waiting.delete(socket);
        continue;
      }
      const { bytesWritten } = socket as Socket;
      const before = waiting.get(socket);
      // What waited then may be taken, and what waits now be of a later piece.
      if (!before || bytesWritten - writableLength >= before.until)
        waiting.set(socket, { until: bytesWritten, since: now });
      else if (now - before.since >= timeoutMs) socket.destroy();
    }
  }, timeoutMs / looksPerDeadline);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

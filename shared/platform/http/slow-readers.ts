import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connections } from './connections.ts';

const looksPerDeadline = 10;

/**
 * Since when a connection has had bytes to take of one answer, the one to its request number
 * `request`.
 */
type Taking = { request: number; since: number };

/**
 * Ends connections whose client does not take what it asked for: bytes of one answer that have
 * waited for `timeoutMs`, however slowly they trickle. What an answer has to say in small pieces
 * over a long time, such as a stream of events, is not meant: it waits for nobody as long as each
 * piece is taken.
 */
export function cutSlowReaders(server: Server, connections: Connections, timeoutMs: number): void {
  const taking = new WeakMap<Duplex, Taking>();
  // A look that comes between two pieces is chance: an answer of many would be taken for one that
  // trickles.
  server.on('connection', (socket: Duplex) => socket.on('drain', () => taking.delete(socket)));
  // One look at all of them from time to time: a timer for each answer would cost every request.
  const looking = setInterval(() => {
    const now = performance.now();
    for (const [socket, { requests }] of connections) {
      const before = taking.get(socket);
      if (socket.writableLength === 0) taking.delete(socket);
      else if (before?.request !== requests) taking.set(socket, { request: requests, since: now });
      else if (now - before.since >= timeoutMs) socket.destroy();
    }
  }, timeoutMs / looksPerDeadline);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

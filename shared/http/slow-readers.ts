import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const looksPerDeadline = 10;

type Taking = { outgoing: ServerResponse | undefined; since: number };

/**
 * Ends connections whose client does not take what it asked for: bytes of one answer that have waited for `timeoutMs`,
 * however slowly they trickle. What an answer has to say in small pieces over a long time, such as a stream of events, is
 * not meant: it waits for nobody as long as each piece is taken.
 */
export function cutSlowReaders(server: Server, timeoutMs: number): void {
  const answering = new Map<Socket, ServerResponse | undefined>();
  const taking = new WeakMap<Socket, Taking>();
  server.on('connection', (socket: Socket) => {
    answering.set(socket, undefined);
    socket.once('close', () => answering.delete(socket));
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    answering.set(incoming.socket, outgoing);
  });
  // One look at all of them from time to time: a timer for each answer would cost every request.
  const looking = setInterval(() => {
    const now = performance.now();
    for (const [socket, outgoing] of answering) {
      const before = taking.get(socket);
      if (socket.writableLength === 0) taking.delete(socket);
      else if (before?.outgoing !== outgoing) taking.set(socket, { outgoing, since: now });
      else if (before !== undefined && now - before.since >= timeoutMs) socket.destroy();
    }
  }, timeoutMs / looksPerDeadline);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

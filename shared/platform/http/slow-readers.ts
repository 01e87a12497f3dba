import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from './connections.ts';

const checksPerDeadline = 10;

/** The total bytes written to a connection at a check, and its time. */
type WriteMark = { until: number; since: number };

/**
 * Ends connections whose client does not read its response: some bytes have been pending for
 * `timeoutMs`. A slow stream of small pieces, such as events, is not affected as long as the client
 * reads each piece in time.
 */
export function cutSlowReaders(server: Server, connections: Connections, timeoutMs: number): void {
  const pending = new WeakMap<Duplex, WriteMark>();
  // One timer for all connections: a timer for each response would slow every request.
  const checking = setInterval(() => {
    const now = performance.now();
    for (const socket of connections.keys()) {
      const { writableLength } = socket;
      if (writableLength === 0) {
        pending.delete(socket);
        continue;
      }
      const { bytesWritten } = socket as Socket;
      const previous = pending.get(socket);
      // The client has read the bytes of the last check, so those pending now are newer.
      if (!previous || bytesWritten - writableLength >= previous.until)
        pending.set(socket, { until: bytesWritten, since: now });
      else if (now - previous.since >= timeoutMs) socket.destroy();
    }
  }, timeoutMs / checksPerDeadline);
  checking.unref();
  server.once('close', () => clearInterval(checking));
}

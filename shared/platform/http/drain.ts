import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Connections } from './connections.ts';

const idlePollMs = 50;

/**
 * Adds `Connection: close` to every response from now on, so that no client sends another request
 * on a connection that is about to close.
 */
export function closeAfterAnswers(http: Server, connections: Connections): void {
  for (const { outgoing, before } of connections.values()) {
    if (before) before.shouldKeepAlive = false;
    if (outgoing) outgoing.shouldKeepAlive = false;
  }
  http.prependListener('request', (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.shouldKeepAlive = false;
  });
}

/**
 * Stops accepting connections, lets requests in progress end within `drainMs`, then cuts them off.
 */
export async function drain(
  http: Server,
  connections: Connections,
  drainMs: number,
): Promise<void> {
  closeAfterAnswers(http, connections);
  const closeIdle = () => {
    http.closeIdleConnections();
    // Node counts a connection on which nothing was received yet as busy.
    for (const [socket] of connections)
      if ('bytesRead' in socket && socket.bytesRead === 0) socket.destroy();
  };
  await acceptWaiting(http);
  await new Promise<void>((resolve) => {
    // A connection that was just busy is kept alive by its client: check again until all are
    // closed.
    const idle = setInterval(closeIdle, idlePollMs);
    const timer = setTimeout(() => http.closeAllConnections(), drainMs);
    http.close(() => {
      clearInterval(idle);
      clearTimeout(timer);
      resolve();
    });
    // A connection that was just opened has until the first check.
    http.closeIdleConnections();
  });
}

/** Clients that keep connecting must not delay the stop. */
const acceptWithinMs = 500;

/**
 * The kernel may hold connections that the event loop has not accepted yet, and closing the
 * listener would reset them. After a whole round without one there are none.
 */
async function acceptWaiting(http: Server): Promise<void> {
  let accepted = true;
  const note = () => (accepted = true);
  http.on('connection', note);
  const until = performance.now() + acceptWithinMs;
  while (accepted && performance.now() < until) {
    accepted = false;
    for (const _ of ['this round', 'the next']) await new Promise(setImmediate);
  }
  http.off('connection', note);
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Connections } from './connections.ts';

const idlePollMs = 50;

/**
 * Takes no more connections, lets requests in progress end within `drainMs`, then cuts them off.
 * Their responses say `Connection: close`, so that no client sends another request on a connection
 * that is about to go.
 */
export function drain(http: Server, connections: Connections, drainMs: number): Promise<void> {
  for (const { outgoing, before } of connections.values()) {
    if (before) before.shouldKeepAlive = false;
    if (outgoing) outgoing.shouldKeepAlive = false;
  }
  http.prependListener('request', (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.shouldKeepAlive = false;
  });
  const closeIdle = () => {
    http.closeIdleConnections();
    // Node takes a connection on which nothing has come yet for busy.
    for (const [socket] of connections)
      if ('bytesRead' in socket && socket.bytesRead === 0) socket.destroy();
  };
  return new Promise((resolve) => {
    // A connection that was busy a moment ago is kept alive by its client: look again until all are
    // gone.
    const idle = setInterval(closeIdle, idlePollMs);
    const timer = setTimeout(() => http.closeAllConnections(), drainMs);
    http.close(() => {
      clearInterval(idle);
      clearTimeout(timer);
      resolve();
    });
    // A connection that was just opened has until the first look.
    http.closeIdleConnections();
  });
}

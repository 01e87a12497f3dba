import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export type LoopbackServer = { readonly url: string; readonly close: () => Promise<void> };

/** Has the server listen on a free port of loopback. @returns the port */
export async function listenOnLoopback(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server on a free port of loopback. */
export async function openServer(answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer(answer);
  return {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

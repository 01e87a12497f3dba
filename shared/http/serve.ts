import { serve as serveApp } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Server } from 'node:http';

export type RunningServer = { port: number; close(): Promise<void> };

const drainMs = 5_000;
const idlePollMs = 50;

/** Listens; `close` stops taking connections, lets requests in flight end within 5 s, then cuts them off. */
export async function listen(
  app: Pick<Hono, 'fetch'>,
  { port, host }: { port: number; host: string },
): Promise<RunningServer> {
  const listening = Promise.withResolvers<number>();
  const server = serveApp({ fetch: app.fetch, port, hostname: host }, (address) =>
    listening.resolve(address.port),
  );
  server.once('error', (error) => listening.reject(error));
  return {
    port: await listening.promise,
    close: () =>
      new Promise((resolve) => {
        const http = server as Server;
        // A connection that was busy a moment ago is kept alive by its client: look again until all are gone.
        const idle = setInterval(() => http.closeIdleConnections(), idlePollMs);
        const timer = setTimeout(() => http.closeAllConnections(), drainMs);
        http.close(() => {
          clearInterval(idle);
          clearTimeout(timer);
          resolve();
        });
        http.closeIdleConnections();
      }),
  };
}

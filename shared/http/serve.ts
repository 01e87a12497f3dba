import { serve as serveApp } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Server } from 'node:http';

export type RunningServer = { port: number; close(): Promise<void> };

const drainMs = 5_000;

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
        const timer = setTimeout(() => (server as Server).closeAllConnections(), drainMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        (server as Server).closeIdleConnections();
      }),
  };
}

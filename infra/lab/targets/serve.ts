import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** Serves a plain Hono app on the port in the environment, ready as soon as it listens. */
export function createPlainApp(): Hono {
  const app = new Hono();
  app.get('/readyz', (c) => c.body(null, 204));
  return app;
}

export function listenOnPort(app: Hono): void {
  serve({ fetch: app.fetch, port: Number(variable('PORT')), hostname: '127.0.0.1' });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
}

/** @throws when it is not set */
export function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
}

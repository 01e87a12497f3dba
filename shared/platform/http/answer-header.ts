import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/**
 * Sets a header of the answer, whatever the handler made of it. Under a server it goes to the
 * server's own response: to touch the headers of a `Response` makes a full one of the cheap
 * stand-in that the adapter would send as it is.
 */
export function setAnswerHeader(c: Context, name: string, value: string): void {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (outgoing?.headersSent === true) return;
  if (outgoing) outgoing.setHeader(name, value);
  else c.res.headers.set(name, value);
}

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/**
 * Sets a header of the answer. Under a server it is set on Node's response: reading the headers of
 * a `Response` would turn the adapter's cheap stand-in into a full object.
 */
export function setAnswerHeader(c: Context, name: string, value: string): void {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (outgoing?.headersSent === true) return;
  if (outgoing) outgoing.setHeader(name, value);
  else c.res.headers.set(name, value);
}

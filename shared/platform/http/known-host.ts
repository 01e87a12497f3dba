import type { Context, MiddlewareHandler } from 'hono';
import type { IncomingMessage } from 'node:http';
import { Problem } from './problems.ts';

const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether only this machine reaches what listens on the address. */
export const isLoopback = (host: string): boolean =>
  /^((::ffff:)?127(\.\d{1,3}){3}|localhost|::1)$/i.test(host);

/**
 * Answers only requests for its own names. A page of another site whose name now resolves to
 * 127.0.0.1 (DNS rebinding) has the same origin as this server, so that only the Host header
 * distinguishes them.
 * @throws Problem forbidden
 */
export function requireKnownHost(url?: string): MiddlewareHandler {
  const hosts = new Set([...loopbackNames, ...(url === undefined ? [] : [new URL(url).hostname])]);
  return async (c, next) => {
    if (!hosts.has(new URL(c.req.url).hostname))
      throw new Problem('forbidden', { detail: 'the Host header names another host' });
    await next();
  };
}

const requireLoopbackName = requireKnownHost();

/**
 * The same for requests over loopback; other networks may use other names.
 * @throws Problem forbidden
 */
export const requireKnownHostOnLoopback: MiddlewareHandler = (c, next) =>
  isLoopback(localAddress(c)) ? requireLoopbackName(c, next) : next();

/** Outside of a server, as in tests, there is no connection. */
const localAddress = (c: Context): string => {
  const { incoming } = (c.env ?? {}) as { incoming?: Partial<IncomingMessage> };
  return incoming?.socket?.localAddress ?? '';
};

import type { MiddlewareHandler } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';

const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether only this machine reaches what listens on the address. */
export const isLoopback = (host: string): boolean =>
  /^(127(\.\d{1,3}){3}|localhost|::1)$/.test(host);

/**
 * Answers to its own names alone. A page of another site whose name leads to 127.0.0.1 by now (DNS
 * rebinding) is of the same origin as what answers there: only the name tells.
 * @throws Problem forbidden
 */
export function requireKnownHost(url: string | undefined): MiddlewareHandler {
  const known = new Set([...loopbackNames, ...(url === undefined ? [] : [new URL(url).hostname])]);
  return async (c, next) => {
    if (!known.has(new URL(c.req.url).hostname))
      throw new Problem('forbidden', { detail: 'the Host header names another machine' });
    await next();
  };
}

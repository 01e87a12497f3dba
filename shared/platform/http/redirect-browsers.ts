import type { Env, Hono } from 'hono';
import { Problem } from './problems.ts';

/** Whether the request accepts HTML; a program accepts anything, or JSON. */
export const isBrowser = (accept = ''): boolean => /(^|,)\s*text\/html\s*([;,]|$)/i.test(accept);

/**
 * Redirects a browser from `/` of an API to its pages for people (R2.13, R20.8); programs get 404.
 */
export function redirectBrowsers<E extends Env>(app: Hono<E>, to: () => string): void {
  // All methods, so that a program gets 404 and never 405.
  app.all('/', (c) => {
    if (!['GET', 'HEAD'].includes(c.req.method) || !isBrowser(c.req.header('accept')))
      throw new Problem('route_not_found');
    c.header('vary', 'Accept');
    return c.redirect(to());
  });
}

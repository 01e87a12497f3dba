import type { Env, Hono } from 'hono';
import { Problem } from './problems.ts';

/** Whether the request accepts HTML; a program accepts anything, or JSON. */
export const isBrowser = (accept = ''): boolean => /(^|,)\s*text\/html\s*([;,]|$)/i.test(accept);

/** `/` of an API leads a browser to what people read of it (R2.13, R20.8); programs find nothing. */
export function redirectBrowsers<E extends Env>(app: Hono<E>, to: () => string): void {
  // All methods, so that what is no browser finds nothing here, and no 405 either.
  app.all('/', (c) => {
    if (!['GET', 'HEAD'].includes(c.req.method) || !isBrowser(c.req.header('accept')))
      throw new Problem('route_not_found');
    c.header('vary', 'Accept');
    return c.redirect(to());
  });
}

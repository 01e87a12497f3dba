import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { Problem } from '#shared/http/problems.ts';

/** The gateway shows its key as `Authorization: Bearer <key>`; asked before anything else of a request. */
export function authenticate(apiKey: string): MiddlewareHandler {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(apiKey);
  return async (c, next) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const headers = { 'www-authenticate': 'Bearer' };
    if (given === undefined)
      throw new Problem('api_key_required', { detail: 'send Authorization: Bearer <key>', headers });
    if (!timingSafeEqual(digest(given), expected)) throw new Problem('api_key_invalid', { headers });
    await next();
  };
}

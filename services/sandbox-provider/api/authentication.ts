import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';

/**
 * The gateway shows one of its keys as `Authorization: Bearer <key>`; asked before anything else of
 * a request.
 */
export function authenticate(apiKeys: readonly string[]): MiddlewareHandler {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = apiKeys.map(digest);
  return async (c, next) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const headers = { 'www-authenticate': 'Bearer' };
    if (given === undefined)
      throw new Problem('api_key_required', { detail: 'send Authorization: Bearer <key>', headers });
    const shown = digest(given);
    if (!expected.some((key) => timingSafeEqual(shown, key)))
      throw new Problem('api_key_invalid', { headers });
    await next();
  };
}

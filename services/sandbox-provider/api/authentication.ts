import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { SandboxEnv } from '../env.ts';
import type { SandboxMemory } from '../store/memory.ts';

/**
 * The gateway's key, in `Authorization: Bearer <key>`, is checked before anything else of a
 * request.
 */
export function authenticateGateway(apiKeys: readonly string[]): MiddlewareHandler {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = apiKeys.map(digest);
  return async (c, next) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const headers = { 'www-authenticate': 'Bearer' };
    if (token === undefined)
      throw new Problem('api_key_required', {
        detail: 'send Authorization: Bearer <key>',
        headers,
      });
    const shown = digest(token);
    if (!expected.some((key) => timingSafeEqual(shown, key)))
      throw new Problem('api_key_invalid', { headers });
    await next();
  };
}

/** The same for the keys of all accounts; each account sees only its own attempts. */
export function authenticateAccount(
  apiKeys: readonly string[],
  { accounts, attempts }: Pick<SandboxMemory, 'accounts' | 'attempts'>,
): MiddlewareHandler<SandboxEnv> {
  const first = authenticateGateway(apiKeys);
  return async (c, next) => {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const account = accounts.byKey(token);
    const passOn = async () => {
      const [, key] = /^\/v1\/attempts\/([^/]+)/.exec(c.req.path) ?? [];
      const attempt = key === undefined ? undefined : attempts.get(decoded(key));
      if (attempt && attempt.account !== account) throw new Problem('not_found');
      if (account !== undefined) c.set('account', account);
      await next();
    };
    return account === undefined ? first(c, passOn) : passOn();
  };
}

/** A malformed key stays as it is: no attempt has it. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

import type { Context, MiddlewareHandler } from 'hono';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '#shared/domain/operator/events.ts';
import type { AppEnv } from '#shared/http/app.ts';
import { Problem } from '#shared/http/problems.ts';
import type { Origin } from '#shared/operations/origin.ts';
import { fromStore } from './store.ts';
import type { TokenRegistry } from './tokens/registry.ts';

export type Operator = { name: string; role: Role };
/** A token that configuration gives, and that no command can revoke. */
export type FixedToken = Operator & { sha256: Buffer };
export type AdminEnv = AppEnv<{ operator: Operator }>;

export function fixedToken(token: string, operator: Operator): FixedToken {
  return { ...operator, sha256: digest(token) };
}

type Tokens = { fixedTokens: readonly FixedToken[]; registry: Pick<TokenRegistry, 'byToken'> };

/**
 * Says who asks, before anything else of the request is looked at (contract §2).
 * @throws Problem admin_token_required, admin_token_invalid; not_ready when the log can't be asked about a token
 */
export function authenticate({ fixedTokens, registry }: Tokens): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    const header = c.req.header('authorization');
    if (header === undefined || header === '') throw problem('admin_token_required');
    const [, token] = /^bearer +(\S+) *$/i.exec(header) ?? [];
    if (token === undefined) throw problem('admin_token_invalid');
    const given = digest(token);
    // Digests are of one length, and every token is compared: the time tells nothing of any of them.
    const [fixed] = fixedTokens.filter(({ sha256 }) => timingSafeEqual(sha256, given));
    const operator = fixed ?? (await fromStore(registry.byToken(token)));
    if (!operator) throw problem('admin_token_invalid');
    c.set('operator', { name: operator.name, role: operator.role });
    await next();
  };
}

/** Whose doing the events of a request are. */
export function originOf(c: Context<AdminEnv>): Origin {
  const requestId = c.get('requestId');
  return { actor: `operator:${c.get('operator').name}`, correlationId: requestId, requestId };
}

function problem(code: 'admin_token_required' | 'admin_token_invalid'): Problem {
  return new Problem(code, { headers: { 'www-authenticate': 'Bearer' } });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

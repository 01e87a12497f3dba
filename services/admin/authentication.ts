import type { Context, MiddlewareHandler } from 'hono';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AppEnv } from '#shared/http/app.ts';
import { Problem } from '#shared/http/problems.ts';
import type { Origin } from '#shared/operations/origin.ts';

/** `admin` does everything, `operator` handles operations and messages, `auditor` reads. */
export type Role = 'admin' | 'operator' | 'auditor';
export type Operator = { name: string; role: Role };
export type AdminToken = Operator & { sha256: Buffer };
export type AdminEnv = AppEnv<{ operator: Operator }>;

export function adminToken(token: string, operator: Operator): AdminToken {
  return { ...operator, sha256: digest(token) };
}

/**
 * Says who asks, before anything else of the request is looked at (contract §2).
 * @throws Problem admin_token_required, admin_token_invalid
 */
export function authenticate(tokens: readonly AdminToken[]): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    const header = c.req.header('authorization');
    if (header === undefined || header === '') throw problem('admin_token_required');
    const [, token] = /^bearer +(\S+) *$/i.exec(header) ?? [];
    const given = digest(token ?? '');
    // Digests are of one length, and every token is compared: the time tells nothing of any of them.
    const [operator] = tokens.filter(({ sha256 }) => timingSafeEqual(sha256, given));
    if (token === undefined || !operator) throw problem('admin_token_invalid');
    c.set('operator', { name: operator.name, role: operator.role });
    await next();
  };
}

/** Lets only some roles through. @throws Problem forbidden */
export function allow(...roles: Role[]): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    if (!roles.includes(c.get('operator').role)) throw new Problem('forbidden');
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

import type { Context, MiddlewareHandler } from 'hono';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '#shared/domain/operator/events.ts';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { hasArrived } from '#shared/platform/http/arrivals.ts';
import { maxJsonBytes, readBytes } from '#shared/platform/http/body.ts';
import { contentTypeOf } from '#shared/platform/http/content-type.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { currentTraceparent } from '#shared/platform/tracing/tracing.ts';
import { fromStore } from './store.ts';
import type { TokenRegistry } from './api/tokens/registry.ts';

/** Who acts, and the token that it is done with, by its id: names are not unique. */
export type Operator = { tokenId: string; name: string; role: Role };
/** A token that configuration gives, and that no command can revoke. */
export type FixedToken = Operator & { sha256: Buffer };
/** The id of what opens the API before any token is issued. */
export const firstTokenId = 'first';
export type AdminEnv = AppEnv<{ operator: Operator }>;

export function fixedToken(token: string, operator: Omit<Operator, 'tokenId'>): FixedToken {
  return { ...operator, tokenId: firstTokenId, sha256: digest(token) };
}

/** Those that open the API before any is issued: one, or two while it is changed, with one name. */
export function firstTokens(tokens: readonly (string | undefined)[]): FixedToken[] {
  return tokens
    .filter((token) => token !== undefined)
    .map((token) => fixedToken(token, { name: 'admin', role: 'admin' }));
}

/** Who has a token. The hash is SHA-256, in hex. */
export type Holder = Operator & { tokenHash: string };
type Tokens = { fixedTokens: readonly FixedToken[]; registry: Pick<TokenRegistry, 'byToken'> };

/**
 * Says who asks, before anything else of the request is read (R16.1).
 * @throws Problem admin_token_required, admin_token_invalid; not_ready when the log can't be asked
 *   about a token
 */
export function authenticate(
  tokens: Tokens & { refused: RefusedCredentials },
): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    const header = c.req.header('authorization');
    if (header === undefined || header === '') throw problem('admin_token_required');
    const holder = await holderIn(header, tokens);
    if (!holder) {
      await tokens.refused.note(c, tokenIn(header) ?? '');
      throw problem('admin_token_invalid');
    }
    const { tokenId, name, role } = holder;
    c.set('operator', { tokenId, name, role });
    await next();
    // Secrets that are shown once, balances, what is personal: nothing of it is for a cache.
    setAnswerHeader(c, 'cache-control', 'no-store');
  };
}

/**
 * Asks for the token once more where JSON came after it: so slowly, it may be, that it was revoked
 * meanwhile (R16.3).
 * @throws Problem admin_token_invalid; as `readBytes` does
 */
export function authenticateStill(tokens: Tokens): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    const hasBody =
      !['GET', 'HEAD'].includes(c.req.method) && contentTypeOf(c) === 'application/json';
    if (hasBody && !hasArrived(c)) {
      const body = await readBytes(c, maxJsonBytes);
      c.req.raw = new Request(c.req.raw, { method: c.req.method, body: new Uint8Array(body) });
      await requireTokenStill(tokens, c);
    }
    await next();
  };
}

/**
 * The same for a body of another kind, once it is there. Who asks from within this process has no
 * token, and has been asked about by the console. @throws Problem admin_token_invalid
 */
export async function requireTokenStill(tokens: Tokens, c: Context<AdminEnv>): Promise<void> {
  const header = c.req.header('authorization');
  if (header !== undefined && !(await holderIn(header, tokens)))
    throw problem('admin_token_invalid');
}

const tokenIn = (header: string): string | undefined => /^bearer +(\S+) *$/i.exec(header)?.[1];

async function holderIn(header: string, tokens: Tokens): Promise<Holder | undefined> {
  const token = tokenIn(header);
  return token === undefined ? undefined : findHolder(tokens, token);
}

/**
 * Who has the token; undefined for an invalid one. @throws Problem not_ready when the log can't be
 * asked
 */
export async function findHolder(
  { fixedTokens, registry }: Tokens,
  token: string,
): Promise<Holder | undefined> {
  const given = digest(token);
  // Digests have one length and every token is compared: timing reveals nothing.
  const [fixed] = fixedTokens.filter(({ sha256 }) => timingSafeEqual(sha256, given));
  if (fixed) return holderOfFixed(fixed);
  const issued = await fromStore(registry.byToken(token));
  if (!issued) return undefined;
  const { name, role, tokenId, tokenHash } = issued;
  return { name, role, tokenId, tokenHash };
}

export function holderOfFixed({ sha256, ...operator }: FixedToken): Holder {
  return { ...operator, tokenHash: sha256.toString('hex') };
}

/** Whose doing the events of a request are. */
export function originOf(c: Context<AdminEnv>): Origin {
  const requestId = c.get('requestId');
  const { tokenId, name } = c.get('operator');
  const traceparent = currentTraceparent();
  return { actor: `operator:${name}`, tokenId, correlationId: requestId, requestId, traceparent };
}

function problem(code: 'admin_token_required' | 'admin_token_invalid'): Problem {
  return new Problem(code, { headers: { 'www-authenticate': 'Bearer' } });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

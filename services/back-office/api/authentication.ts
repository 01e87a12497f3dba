import type { Context, Hono, MiddlewareHandler } from 'hono';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '#shared/domain/operator/events.ts';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { isBodyComplete } from '#shared/platform/http/incoming-bodies.ts';
import { maxJsonBytes, readBytes } from '#shared/platform/http/body.ts';
import { requestContentType } from '#shared/platform/http/content-type.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { currentTraceparent } from '#shared/platform/tracing/tracing.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { TokenRegistry } from './tokens/registry.ts';

/** Who acts, and the id of the token used: names are not unique. */
export type OperatorIdentity = { tokenId: string; name: string; role: Role };
/** A token from configuration, which no command can revoke. */
export type FixedToken = OperatorIdentity & { sha256: Buffer };
/** The id of the configured token, which works before any is issued. */
export const firstTokenId = 'first';
export type AdminEnv = AppEnv<{ operator: OperatorIdentity }>;
export type AdminApp = Hono<AdminEnv>;
export type AdminContext = Context<AdminEnv>;

export function fixedToken(token: string, operator: Omit<OperatorIdentity, 'tokenId'>): FixedToken {
  return { ...operator, tokenId: firstTokenId, sha256: digest(token) };
}

/** The configured tokens: one, or two with the same name during rotation. */
export function firstTokens(tokens: readonly (string | undefined)[]): FixedToken[] {
  return tokens
    .filter((token) => token !== undefined)
    .map((token) => fixedToken(token, { name: 'admin', role: 'admin' }));
}

/** Who has a token. The hash is SHA-256, in hex. */
export type Holder = OperatorIdentity & { tokenHash: string };
type Tokens = { fixedTokens: readonly FixedToken[]; registry: Pick<TokenRegistry, 'byToken'> };

/**
 * Authenticates the request before anything else in it is read (R16.1).
 * @throws Problem admin_token_required, admin_token_invalid; not_ready when the log can't be read
 */
export function authenticateOperator(
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
    // Responses contain secrets, balances and personal data, so no cache may store them.
    setAnswerHeader(c, 'cache-control', 'no-store');
  };
}

/**
 * Checks the token again after a JSON body, which may have arrived so slowly that the token was
 * revoked meanwhile (R16.3).
 * @throws Problem admin_token_invalid; as `readBytes` does
 */
export function authenticateStill(tokens: Tokens): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    // A `Request` with one of these methods can't be constructed with a body.
    const takesNone = ['GET', 'HEAD', 'TRACE'].includes(c.req.method);
    const hasBody = !takesNone && requestContentType(c) === 'application/json';
    if (hasBody && !isBodyComplete(c)) {
      const body = await readBytes(c, maxJsonBytes);
      c.req.raw = new Request(c.req.raw, { method: c.req.method, body: new Uint8Array(body) });
      await requireTokenStill(tokens, c);
    }
    await next();
  };
}

/**
 * The same for other bodies, after they are read. The console's own calls have no token, because it
 * has checked the session.
 * @throws Problem admin_token_invalid
 */
export async function requireTokenStill(tokens: Tokens, c: AdminContext): Promise<void> {
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
 * The token's holder; undefined for an invalid one.
 * @throws Problem not_ready when the log can't be read
 */
export async function findHolder(
  { fixedTokens, registry }: Tokens,
  token: string,
): Promise<Holder | undefined> {
  const tokenDigest = digest(token);
  // Digests have one length and every token is compared, so timing reveals nothing.
  const [fixed] = fixedTokens.filter(({ sha256 }) => timingSafeEqual(sha256, tokenDigest));
  if (fixed) return holderOfFixed(fixed);
  const issued = await fromStore(registry.byToken(token));
  if (!issued) return undefined;
  const { name, role, tokenId, tokenHash } = issued;
  return { name, role, tokenId, tokenHash };
}

export function holderOfFixed({ sha256, ...operator }: FixedToken): Holder {
  return { ...operator, tokenHash: sha256.toString('hex') };
}

/** The origin to record in the events of a request. */
export function operatorOrigin(c: AdminContext): Origin {
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

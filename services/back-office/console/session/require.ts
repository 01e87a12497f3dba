import type { Context, MiddlewareHandler } from 'hono';
import type { StoredSession } from '#shared/platform/sessions/sessions.ts';
import { holderOfFixed, type Holder } from '../../api/authentication.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import {
  mayCall,
  type Console,
  type ConsoleContext,
  type ConsoleEnv,
  type ConsoleSession,
} from '../env.ts';
import { closeSession, findStored, leadToSignIn } from '../../frame/session.ts';
import { isPoll } from '../live.ts';
import { fixedHolder } from './holder.ts';

type SessionSources = Pick<
  Console,
  'anonymous' | 'cookie' | 'sessions' | 'registry' | 'fixedTokens'
>;

/**
 * Lets only signed-in users with a valid token through: a revoked or expired token ends its
 * sessions at the next request. Others are redirected to the sign-in, and from there back.
 * @throws Problem not_ready when the token can't be read from the log, or the session from the
 * database
 */
export function requireOperatorSession(console: Console): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    const session = await findOperatorSession(c, console);
    if (!session) return leadToSignIn(c);
    c.set('session', session);
    return next();
  };
}

/**
 * Checks session and role again after a form was read: it may have come so slowly that the token
 * was revoked. Without `route`, every operator may.
 * @throws Problem forbidden, not_ready
 */
export async function recheckOperatorSession(
  c: ConsoleContext,
  console: Console,
  route?: string,
): Promise<void> {
  const session = await findOperatorSession(c, console);
  if (!session || (route !== undefined && !mayCall(session, route))) throw new Problem('forbidden');
  c.set('session', session);
}

/**
 * The session of the request; undefined if there is none, or its token is no longer valid.
 * @throws Problem rate_limited if an address keeps sending invalid cookies
 */
export async function findOperatorSession(
  c: Context,
  sources: SessionSources,
): Promise<ConsoleSession | undefined> {
  const session = await findStored(c, sources, { unseen: isPoll(c) });
  if (!session) return undefined;
  const holder = await findTokenHolder(session, sources);
  if (holder) return { ...session, holder };
  // Another ADMIN_TOKEN may still be valid on an instance that has not been restarted yet.
  if (!session.holder.startsWith(fixedHolder)) await closeSession(c, sources, session);
  return undefined;
}

/** Name and role come from the current token, not from the session's row. */
async function findTokenHolder(
  { holder: tokenId, isOf }: StoredSession<unknown>,
  { registry, fixedTokens }: SessionSources,
): Promise<Holder | undefined> {
  if (!tokenId.startsWith(fixedHolder)) {
    const issued = await fromStore(registry.byId(tokenId));
    if (!issued || !isOf(issued.tokenHash)) return undefined;
    return { name: issued.name, role: issued.role, tokenId, tokenHash: issued.tokenHash };
  }
  return fixedTokens.map((fixed) => holderOfFixed(fixed)).find(({ tokenHash }) => isOf(tokenHash));
}

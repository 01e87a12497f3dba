import type { Context, MiddlewareHandler } from 'hono';
import { fromStore } from '../../store.ts';
import type { Console, ConsoleEnv } from '../env.ts';
import { dropSessionSecret, sessionSecret } from './cookie.ts';
import type { Session } from './sessions.ts';

/**
 * Lets only those through who have signed in, with a token that is still in force: one that was revoked or has expired
 * ends its sessions with the next request. Others are led to the sign-in, and from there back.
 * @throws Problem not_ready when the log can't be asked about the token
 */
export function requireSession(console: Console): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    const found = await findSession(c, console);
    if (!found) {
      const back = c.req.method === 'GET' && c.req.path !== '/' ? pathAndQuery(c.req.url) : undefined;
      return c.redirect(back === undefined ? '/sign-in' : `/sign-in?to=${encodeURIComponent(back)}`, 303);
    }
    c.set('session', found.session);
    c.set('sessionSecret', found.secret);
    return next();
  };
}

/** Who asks; nothing for who has not signed in, or with a token that opens nothing any more. */
export async function findSession(
  c: Context,
  { sessions, registry }: Pick<Console, 'sessions' | 'registry'>,
): Promise<{ session: Session; secret: string } | undefined> {
  const secret = sessionSecret(c);
  const session = secret === undefined ? undefined : sessions.find(secret);
  if (secret === undefined || !session) return undefined;
  const { tokenId } = session.holder;
  // The first token is configuration: it stays for as long as this process runs.
  if (tokenId !== undefined && !(await fromStore(registry.byId(tokenId)))) {
    sessions.close(secret);
    dropSessionSecret(c);
    return undefined;
  }
  return { session, secret };
}

function pathAndQuery(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

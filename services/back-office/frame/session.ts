import type { Context } from 'hono';
import type { StoredSession } from '#shared/platform/sessions/sessions.ts';
import type { Notice } from './notice.ts';
import type { Site, SiteSession } from './site.ts';

export const isRead = ({ req }: Context): boolean => ['GET', 'HEAD'].includes(req.method);

/** Leads to the sign-in, and from there back to the page. */
export function leadToSignIn(c: Context): Response {
  const { pathname, search } = new URL(c.req.url);
  const back =
    isRead(c) && pathname !== '/' ? `?to=${encodeURIComponent(`${pathname}${search}`)}` : '';
  return c.redirect(`/sign-in${back}`, 303);
}

/**
 * The session that the request's cookie names.
 * @throws Problem rate_limited if an address keeps sending invalid cookies; not_ready
 */
export async function findStored(
  c: Context,
  { cookie, sessions, anonymous }: Pick<Site, 'cookie' | 'sessions' | 'anonymous'>,
  how?: { unseen: boolean },
): Promise<StoredSession<Notice> | undefined> {
  const secret = cookie.read(c);
  if (secret === undefined) return undefined;
  const session = await sessions.find(secret, how);
  if (!session) await anonymous.take(c);
  return session;
}

/**
 * Stores a new session in the browser, and ends the previous one, which no one could sign out of
 * any more.
 */
export async function keepSession(
  c: Context,
  { cookie, sessions }: Pick<Site, 'cookie' | 'sessions'>,
  secret: string,
): Promise<void> {
  const before = cookie.read(c);
  cookie.keep(c, secret);
  // It may fail: the link that opened the new one is used by now.
  if (before !== undefined) await sessions.close(before).catch(() => undefined);
}

export async function closeSession(
  c: Context,
  { cookie, sessions }: Pick<Site, 'cookie' | 'sessions'>,
  { secret }: Pick<SiteSession, 'secret'>,
): Promise<void> {
  await sessions.close(secret);
  cookie.drop(c);
}

import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

export type SessionCookie = {
  read(c: Context): string | undefined;
  /** A cookie of the browser's session: how long it is good for is the server's to say. */
  keep(c: Context, secret: string): void;
  drop(c: Context): void;
};

/**
 * Strict: no other site's link or form brings it along. In production over TLS alone; elsewhere
 * where a proxy says so.
 */
export function createSessionCookie(plainName: string, production: boolean): SessionCookie {
  // Browsers take such a name over TLS alone, from this host and for this host alone: no neighbour
  // can set it.
  const name = production ? `__Host-${plainName}` : plainName;
  const options = (c: Context) =>
    ({
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      secure:
        production ||
        new URL(c.req.url).protocol === 'https:' ||
        c.req.header('x-forwarded-proto') === 'https',
    }) as const;
  return {
    read: (c) => getCookie(c, name),
    keep: (c, secret) => setCookie(c, name, secret, options(c)),
    drop: (c) => void deleteCookie(c, name, options(c)),
  };
}

import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

export type SessionCookie = {
  read(c: Context): string | undefined;
  keep(c: Context, secret: string): void;
  drop(c: Context): void;
};

/**
 * A session cookie, whose validity the server decides, or one that lasts `maxAgeS`. Strict: no
 * other site's link or form brings it along. Secure in production; elsewhere if a proxy reports
 * TLS.
 */
export function createSessionCookie(
  plainName: string,
  production: boolean,
  { maxAgeS }: { maxAgeS?: number } = {},
): SessionCookie {
  // Browsers take such a name over TLS alone, from this host and for this host alone: no neighbour
  // can set it.
  const name = production ? `__Host-${plainName}` : plainName;
  const options = (c: Context) =>
    ({
      path: '/',
      ...(maxAgeS !== undefined && { maxAge: maxAgeS }),
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

import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

export type SessionCookie = {
  read(c: Context): string | undefined;
  keep(c: Context, secret: string): void;
  drop(c: Context): void;
};

/**
 * A session cookie, whose validity the server decides, or one that lasts `maxAgeS`.
 * SameSite=Strict, so that no other site's link or form sends it. Secure in production; elsewhere
 * if a proxy reports TLS.
 */
export function createSessionCookie(
  plainName: string,
  production: boolean,
  { maxAgeS }: { maxAgeS?: number } = {},
): SessionCookie {
  // Browsers accept a `__Host-` cookie only over TLS and from this host, so that no sibling host
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

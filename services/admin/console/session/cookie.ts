import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

const name = 'console_session';

/** Strict: no other site's link or form brings it along. Secure wherever a proxy says that the browser uses TLS. */
const options = (c: Context) =>
  ({
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    secure: new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https',
  }) as const;

export const sessionSecret = (c: Context): string | undefined => getCookie(c, name);

/** A cookie of the browser's session: how long it is good for is the server's to say. */
export const keepSessionSecret = (c: Context, secret: string): void => setCookie(c, name, secret, options(c));

export const dropSessionSecret = (c: Context): void => void deleteCookie(c, name, options(c));

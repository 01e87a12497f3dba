import type { Hono } from 'hono';
import { Problem } from '#shared/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';

const nosniff = { 'x-content-type-options': 'nosniff' };
const pageHeaders = {
  ...nosniff,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** The reference, for programs and for people, and what stands behind a problem's `type`. None needs a key. */
export function registerReference(app: Hono<MerchantEnv>): void {
  // Loaded and made when it is first asked for: no start waits for what few ever read.
  const content = () => import('./content.ts');
  app.get('/openapi.json', async (c) =>
    c.body((await content()).document, 200, { ...nosniff, 'content-type': 'application/json' }),
  );
  app.get('/docs', async (c) => c.body((await content()).page, 200, pageHeaders));
  app.get('/docs/style.css', async (c) =>
    c.body((await content()).style, 200, { ...nosniff, 'content-type': 'text/css; charset=utf-8' }),
  );
  app.get('/errors/:code', async (c) => {
    const anchor = (await content()).anchorOfType(c.req.param('code'));
    if (anchor === undefined) throw new Problem('route_not_found');
    return c.redirect(`/docs#${anchor}`);
  });
}

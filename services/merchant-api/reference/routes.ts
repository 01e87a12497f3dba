import type { Hono } from 'hono';
import { Problem } from '#shared/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';
import { createDocument, endpoints } from '../openapi/document.ts';
import { documentText } from '../openapi/file.ts';
import { anchorOfType } from './errors-section.ts';
import { referencePage } from './page.ts';
import { style } from './style.ts';

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** The reference, for programs and for people, and what stands behind a problem's `type`. None needs a key. */
export function registerReference(app: Hono<MerchantEnv>): void {
  const text = once(documentText);
  const page = once(() => referencePage(createDocument(), endpoints));
  app.get('/openapi.json', (c) => c.body(text(), 200, { 'content-type': 'application/json' }));
  app.get('/docs', (c) => c.body(page(), 200, pageHeaders));
  app.get('/docs/style.css', (c) =>
    c.body(style, 200, { 'content-type': 'text/css; charset=utf-8', 'x-content-type-options': 'nosniff' }),
  );
  app.get('/errors/:code', (c) => {
    const anchor = anchorOfType(c.req.param('code'));
    if (anchor === undefined) throw new Problem('route_not_found');
    return c.redirect(`/docs#${anchor}`);
  });
}

/** Made when it is first asked for: a start need not wait for what few ever read. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

import type { MiddlewareHandler } from 'hono';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import { Problem } from '#shared/platform/http/problems.ts';

type PolicyOptions = {
  /** Directives in addition to those of every page, such as `{ 'frame-src': "'self'" }`. */
  policy?: Readonly<Record<string, string>>;
  /** `no-referrer` by default, because a page's address may be a secret. */
  referrer?: 'no-referrer' | 'same-origin';
};

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

/** The headers of every page: no inline and no foreign content, no framing, no caching (R15.3). */
export function pageHeaders(options: PolicyOptions = {}): Readonly<Record<string, string>> {
  const directives = Object.entries({ ...policy, ...options.policy });
  return {
    'content-security-policy': directives.map(([name, value]) => `${name} ${value}`).join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': options.referrer ?? 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy':
      'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=(), clipboard-write=(self)',
    vary: 'Accept-Language, Cookie',
  };
}

/**
 * Sets `pageHeaders` on every answer below a path, errors included; headers of the answer itself
 * win.
 */
export function securePages(options: PolicyOptions = {}): MiddlewareHandler {
  const headers = Object.entries(pageHeaders(options));
  return async (c, next) => {
    await next();
    for (const [name, value] of headers)
      if (!c.res.headers.has(name)) setAnswerHeader(c, name, value);
  };
}

/**
 * Refuses cross-site requests. Browsers send `Sec-Fetch-Site`; older ones only an `Origin`, which
 * is `null` from a page with the referrer policy `no-referrer`: that passes only with
 * `allowUnknown`, for requests that need no more than what their sender knows.
 * @throws Problem forbidden
 */
export function refuseCrossSite({ allowUnknown = false } = {}): MiddlewareHandler {
  return async (c, next) => {
    const safe = c.req.method === 'GET' || c.req.method === 'HEAD';
    const site = c.req.header('sec-fetch-site');
    const origin = c.req.header('origin');
    const allowed =
      site === undefined
        ? origin === undefined ||
          (origin === 'null' ? allowUnknown : parseHost(origin) === c.req.header('host'))
        : site === 'same-origin' || site === 'none';
    if (!safe && !allowed)
      throw new Problem('forbidden', { detail: 'the request comes from another site' });
    await next();
  };
}

const parseHost = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined);

import type { MiddlewareHandler } from 'hono';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import { Problem } from '#shared/platform/http/problems.ts';

type PolicyOptions = {
  /** Directives over those that every page has, such as `{ 'frame-src': "'self'" }`. */
  policy?: Readonly<Record<string, string>>;
  /** `no-referrer` by default: no address of a page, which may be a secret, goes anywhere. */
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

/**
 * The headers of every page: nothing inline, nothing foreign, framed by nobody, kept by nobody
 * (R15.3).
 */
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
 * Sets `pageHeaders` on whatever is answered below a path, errors too; an answer's own header
 * stays.
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
 * Refuses what another site makes a browser send. Browsers say where a request comes from
 * (`Sec-Fetch-Site`); older ones name an `Origin`, but not from a page whose referrer policy is
 * `no-referrer`: there it is `null`, and passes only where `allowUnknown` says that a request needs
 * no more than what its sender knows.
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
          (origin === 'null' ? allowUnknown : hostOf(origin) === c.req.header('host'))
        : site === 'same-origin' || site === 'none';
    if (!safe && !allowed)
      throw new Problem('forbidden', { detail: 'the request comes from another site' });
    await next();
  };
}

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined);

import type { MiddlewareHandler } from 'hono';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RateLimit, RateLimiter, Taken } from '#shared/platform/http/token-buckets.ts';
import type { MerchantEnv } from '../authentication.ts';

/** All keys of a shop together may send this many times what one key may. */
const keysAtLimit = 2;

/**
 * Applies the shop's limit to each API key, and twice the limit to all its keys together, after
 * authentication and before the body is read. Every response has the current figures of the key
 * (R1.7).
 * @throws Problem rate_limited, with the seconds until the next request is allowed
 */
export function limitRate(limiter: RateLimiter): MiddlewareHandler<MerchantEnv> {
  return async (c, next) => {
    const { shopId, settings } = c.get('shop');
    const limit = settings.rate_limit;
    const token = limiter.take(c.get('keyId'), limit);
    if (!token.allowed) throw refusal(limit, token);
    const ofShop = limiter.take(`shop:${shopId}`, times(limit, keysAtLimit));
    if (!ofShop.allowed) throw refusal(limit, token, ofShop.nextInMs);
    await next();
    for (const [name, value] of rateLimitHeaders(limit, token)) setAnswerHeader(c, name, value);
  };
}

/** Low, because every instance reads each change of a shop's set-up. */
const setupLimit: RateLimit = { per_second: 1, burst: 60 };

/**
 * Limits the changes of a shop's set-up, whichever keys make them.
 * @throws Problem rate_limited, with the seconds until the next change is allowed
 */
export function limitSetupChanges(limiter: RateLimiter): MiddlewareHandler<MerchantEnv> {
  return async (c, next) => {
    if (c.req.method !== 'GET') {
      const token = limiter.take(`setup:${c.get('shop').shopId}`, setupLimit);
      if (!token.allowed)
        throw new Problem('rate_limited', {
          detail: `a shop may change its set-up ${setupLimit.burst} times a minute`,
          headers: { 'Retry-After': String(Math.max(1, seconds(token.nextInMs))) },
        });
    }
    await next();
  };
}

const times = ({ per_second, burst }: RateLimit, factor: number): RateLimit => ({
  per_second: per_second * factor,
  burst: burst * factor,
});

/** `shopNextInMs`: where the key's bucket allows the request and the shop's does not. */
function refusal(limit: RateLimit, token: Taken, shopNextInMs?: number): Problem {
  const { per_second, burst } = shopNextInMs === undefined ? limit : times(limit, keysAtLimit);
  const subject = shopNextInMs === undefined ? 'this key' : 'all keys of the shop together';
  return new Problem('rate_limited', {
    detail: `${subject} may send ${per_second} requests a second, with bursts of ${burst}`,
    headers: {
      'Retry-After': String(Math.max(1, seconds(shopNextInMs ?? token.nextInMs))),
      ...Object.fromEntries(rateLimitHeaders(limit, token)),
    },
  });
}

/**
 * The header fields of the IETF draft "RateLimit header fields for HTTP", in the form with one
 * field for each figure. The quota is the burst, and its window the time in which an empty bucket
 * fills: so the headers contain both parts of the shop's limit.
 */
function rateLimitHeaders(
  { per_second, burst }: RateLimit,
  token: Taken,
): [name: string, value: string][] {
  return [
    ['RateLimit-Limit', String(burst)],
    ['RateLimit-Remaining', String(token.remaining)],
    ['RateLimit-Reset', String(seconds(token.fullInMs))],
    ['RateLimit-Policy', `${burst};w=${Math.max(1, Math.ceil(burst / per_second))}`],
  ];
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

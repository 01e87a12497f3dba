import type { MiddlewareHandler } from 'hono';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import { asProblem, Problem, type ProblemDetails } from '#shared/platform/http/problems.ts';
import type { RateLimit, RateLimiter, Taken } from '#shared/platform/http/token-buckets.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { MerchantEnv } from '../authentication.ts';

/** All keys of a shop together may send this many times what one key may. */
const keysAtLimit = 2;

type RateLimitHeader = [name: string, value: string];
type LimitedKey = { keyId: string; shop: Pick<Shop, 'shopId' | 'settings'> };

const shopLimit = ({ shop: { shopId, settings } }: LimitedKey) =>
  [`shop:${shopId}`, times(settings.rate_limit, keysAtLimit)] as const;

/**
 * Applies the shop's limit to each API key, and twice the limit to all its keys together, after
 * authentication and before the body is read. Every response has the current figures of the key
 * (R1.7).
 * @throws Problem rate_limited, with the seconds until the next request is allowed
 */
export function limitRate(limiter: RateLimiter): MiddlewareHandler<MerchantEnv> {
  return async (c, next) => {
    const { refusal, headers } = takeToken(limiter, {
      keyId: c.get('keyId'),
      shop: c.get('shop'),
    });
    if (refusal) throw asProblem(refusal);
    await next();
    for (const [name, value] of headers) setAnswerHeader(c, name, value);
  };
}

/** Counts a request. @returns the header fields of its response, and why it is refused, if it is */
export function takeToken(
  limiter: RateLimiter,
  key: LimitedKey,
): { refusal?: ProblemDetails; headers: RateLimitHeader[] } {
  const limit = key.shop.settings.rate_limit;
  const token = limiter.take(key.keyId, limit);
  const headers = rateLimitHeaders(limit, token);
  if (!token.allowed) return { refusal: rateLimited(limit, token), headers };
  const ofShop = limiter.take(...shopLimit(key));
  if (!ofShop.allowed) return { refusal: rateLimited(limit, token, ofShop.nextInMs), headers };
  return { headers };
}

/** Whether `takeToken` would not refuse a request now. */
export const allowsRequest = (limiter: RateLimiter, key: LimitedKey): boolean =>
  limiter.allows(key.keyId, key.shop.settings.rate_limit) && limiter.allows(...shopLimit(key));

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
          retryAfterMs: token.nextInMs,
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
function rateLimited(limit: RateLimit, token: Taken, shopNextInMs?: number): ProblemDetails {
  const { per_second, burst } = shopNextInMs === undefined ? limit : times(limit, keysAtLimit);
  const subject = shopNextInMs === undefined ? 'this key' : 'all keys of the shop together';
  return {
    code: 'rate_limited',
    detail: `${subject} may send ${per_second} requests a second, with bursts of ${burst}`,
    retryAfterMs: shopNextInMs ?? token.nextInMs,
    headers: Object.fromEntries(rateLimitHeaders(limit, token)),
  };
}

/**
 * The header fields of the IETF draft "RateLimit header fields for HTTP", in the form with one
 * field for each figure. The quota is the burst, and its window the time in which an empty bucket
 * fills: so the headers contain both parts of the shop's limit.
 */
function rateLimitHeaders({ per_second, burst }: RateLimit, token: Taken): RateLimitHeader[] {
  return [
    ['RateLimit-Limit', String(burst)],
    ['RateLimit-Remaining', String(token.remaining)],
    ['RateLimit-Reset', String(seconds(token.fullInMs))],
    ['RateLimit-Policy', `${burst};w=${Math.max(1, Math.ceil(burst / per_second))}`],
  ];
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

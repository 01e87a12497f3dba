import type { MiddlewareHandler } from 'hono';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { RateLimit, RateLimiter, Taken } from '#shared/platform/http/token-buckets.ts';
import type { MerchantEnv } from '../authentication.ts';

/**
 * Applies the shop's limit to each API key, after authentication and before the body is read. Every
 * answer has the current figures (R1.7).
 * @throws Problem rate_limited, with the seconds until the next request is allowed
 */
export function limitRate(limiter: RateLimiter): MiddlewareHandler<MerchantEnv> {
  return async (c, next) => {
    const limit = c.get('shop').settings.rate_limit;
    const taken = limiter.take(c.get('keyId'), limit);
    if (taken.allowed) await next();
    else throw refusal(limit, taken);
    for (const [name, value] of rateLimitHeaders(limit, taken)) setAnswerHeader(c, name, value);
  };
}

function refusal(limit: RateLimit, taken: Taken): Problem {
  return new Problem('rate_limited', {
    detail: `this key may send ${limit.per_second} requests a second, and ${limit.burst} at once`,
    headers: {
      'Retry-After': String(Math.max(1, seconds(taken.nextInMs))),
      ...Object.fromEntries(rateLimitHeaders(limit, taken)),
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
  taken: Taken,
): [name: string, value: string][] {
  return [
    ['RateLimit-Limit', String(burst)],
    ['RateLimit-Remaining', String(taken.remaining)],
    ['RateLimit-Reset', String(seconds(taken.fullInMs))],
    ['RateLimit-Policy', `${burst};w=${Math.max(1, Math.ceil(burst / per_second))}`],
  ];
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

import type { MiddlewareHandler } from 'hono';
import type { KeyLimits } from '#shared/domain/shop/events.ts';
import { isExpired, type Shop } from '#shared/domain/shop/state.ts';
import { parseRanges, type Ranges } from '#shared/platform/http/cidr.ts';
import { clientAddress } from '#shared/platform/http/client-address.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { MultipartForm } from '#shared/platform/http/multipart.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { setAnswerHeader } from '#shared/platform/http/answer-header.ts';
import {
  asProblem,
  Problem,
  problems,
  type ProblemDetails,
} from '#shared/platform/http/problems.ts';
import type { RefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import type { KeyUse } from './key-use.ts';

export type MerchantEnv = AppEnv<{
  shop: Shop;
  keyId: string;
  keyLimits: KeyLimits;
  /** The body, read before the request is handled: JSON text, or the form of a confirmation. */
  body?: Uint8Array;
  form?: MultipartForm;
}>;

type AuthenticationOptions = {
  keyUse?: Pick<KeyUse, 'noteUse'> | undefined;
  refused: RefusedCredentials;
  trustedProxies: number;
  /** Milliseconds since the epoch. */
  now: () => number;
};

/**
 * Binds the request to the shop of its API key, before anything else of it is read (R1.1).
 * @throws Problem api_key_required, api_key_invalid; forbidden from an address that the key is not
 * for; not_ready when the log can't be read
 */
export function authenticateMerchant(
  directory: Pick<Directory, 'byApiKey'>,
  { keyUse, refused, trustedProxies, now }: AuthenticationOptions,
): MiddlewareHandler<MerchantEnv> {
  return async (c, next) => {
    const apiKey = c.req.header('x-api-key');
    if (apiKey === undefined || apiKey === '')
      throw asProblem(keyRequired(c.req.header('authorization')));
    const key = await directory.byApiKey(apiKey).catch((cause: unknown) => {
      if (cause instanceof Problem) throw cause;
      throw new Problem('not_ready', { detail: 'the API key could not be checked', cause });
    });
    if (!key || isExpired(key.limits, new Date(now()).toISOString())) {
      await refused.note(c, apiKey);
      throw asProblem(unauthorized('api_key_invalid'));
    }
    const { allowed_ips: allowedIps } = key.limits;
    if (allowedIps && !rangesFor(allowedIps).has(clientAddress(c, { trustedProxies }))) {
      await refused.note(c, apiKey);
      throw new Problem('forbidden', { detail: 'the API key may not be used from this address' });
    }
    c.set('shop', key.shop);
    c.set('keyId', key.keyId);
    c.set('keyLimits', key.limits);
    keyUse?.noteUse(key.keyId);
    await next();
    // A cache ignores X-API-Key, and could return one shop's balances to another.
    setAnswerHeader(c, 'cache-control', 'no-store');
  };
}

const parsedRanges = new WeakMap<readonly string[], Ranges>();

/** Parsed once a list: a cached shop keeps its arrays. */
function rangesFor(cidrs: readonly string[]): Ranges {
  const ranges = parsedRanges.get(cidrs) ?? parseRanges(cidrs);
  parsedRanges.set(cidrs, ranges);
  return ranges;
}

/** RFC 9110 asks for a challenge; no scheme is registered for a key in a header of its own. */
const unauthorized = (code: 'api_key_required' | 'api_key_invalid'): ProblemDetails => ({
  code,
  detail: problems[code].title,
  headers: { 'www-authenticate': 'ApiKey' },
});

/** Refuses a request without a key, and says so where it was sent in the wrong header. */
export function keyRequired(authorization: string | undefined): ProblemDetails {
  const refusal = unauthorized('api_key_required');
  if (authorization === undefined) return refusal;
  return { ...refusal, detail: `${refusal.detail}: send the API key in it, not in Authorization` };
}

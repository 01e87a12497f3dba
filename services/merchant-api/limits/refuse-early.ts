import { isExpired } from '#shared/domain/shop/state.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { AnonymousLimit } from '#shared/platform/http/anonymous-limit.ts';
import type { FindRefusal } from '#shared/platform/http/early-refusal.ts';
import type { RateLimiter } from '#shared/platform/http/token-buckets.ts';
import { keyRequired } from '../authentication.ts';
import { readsOfLog, type Gate } from '../load-shedding/gate.ts';
import { allowsRequest, takeToken } from './rate-limit.ts';

type Options = {
  directory: Pick<Directory, 'cachedKey'>;
  limiter: RateLimiter;
  gate: Pick<Gate, 'refusesReads' | 'refuseRead'>;
  anonymous: Pick<AnonymousLimit, 'isFlood'>;
  /** Milliseconds since the epoch. */
  now: () => number;
};

/**
 * Refuses a flood without a key, what a key whose shop is cached sends beyond its rate limit, and
 * reads during an overload, as the app would. Any other request is the app's to decide.
 */
export function createFindRefusal({
  directory,
  limiter,
  gate,
  anonymous,
  now,
}: Options): FindRefusal {
  return (incoming, path) => {
    if (!path.startsWith('/v1/')) return undefined;
    const apiKey = incoming.headers['x-api-key'];
    if (!apiKey)
      return anonymous.isFlood(incoming) ? keyRequired(incoming.headers.authorization) : undefined;
    if (typeof apiKey !== 'string') return undefined;
    const key = directory.cachedKey(apiKey);
    if (!key || key.limits.allowed_ips || isExpired(key.limits, new Date(now()).toISOString()))
      return undefined;
    if (!allowsRequest(limiter, key)) return takeToken(limiter, key).refusal;
    if (!readsOfLog.includes(path) || key.limits.scopes?.includes('read') === false)
      return undefined;
    const { shopId } = key.shop;
    return gate.refusesReads(shopId)
      ? gate.refuseRead(shopId, takeToken(limiter, key).headers)
      : undefined;
  };
}

import { isExpired } from '#shared/domain/shop/state.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { FindRefusal } from '#shared/platform/http/early-refusal.ts';
import type { RateLimiter } from '#shared/platform/http/token-buckets.ts';
import { readsOfLog, type Gate } from '../load-shedding/gate.ts';
import { allowsRequest, takeToken } from './rate-limit.ts';

type Options = {
  directory: Pick<Directory, 'cachedKey'>;
  limiter: RateLimiter;
  gate: Pick<Gate, 'refusesReads' | 'refuseRead'>;
  /** Milliseconds since the epoch. */
  now: () => number;
};

/**
 * Refuses what a key whose shop is cached sends beyond its rate limit, and reads during an
 * overload, as the app would. Any other request is the app's to decide.
 */
export function createFindRefusal({ directory, limiter, gate, now }: Options): FindRefusal {
  return ({ headers }, path) => {
    const apiKey = headers['x-api-key'];
    if (typeof apiKey !== 'string' || !path.startsWith('/v1/')) return undefined;
    const key = directory.cachedKey(apiKey);
    if (!key || key.limits.allowed_ips || isExpired(key.limits, new Date(now()).toISOString()))
      return undefined;
    if (!allowsRequest(limiter, key)) return takeToken(limiter, key).refusal;
    if (!readsOfLog.includes(path) || key.limits.scopes) return undefined;
    const { shopId } = key.shop;
    return gate.refusesReads(shopId) ? gate.refuseRead(takeToken(limiter, key).headers) : undefined;
  };
}

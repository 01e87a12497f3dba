import type { MiddlewareHandler } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';

/**
 * How many requests a process works on at a time. A shop at its usual rate of 100 a second whose providers all hang for
 * the acceptance wait of 15 s has 1,500.
 */
export const maxInFlight = { total: 4_096, ofOneShop: 2_048 } as const;

const full = () => new Problem('not_ready', { detail: 'too many requests are under way: come back' });

/**
 * Bounds requests that are worked on, once their bodies have come: a body that is slow holds no place. One shop that waits for
 * its providers leaves room for others. Beyond the bounds: 503 `not_ready` at once, with `Retry-After`.
 */
export function limitInFlight({
  total,
  ofOneShop,
}: { total: number; ofOneShop: number } = maxInFlight): MiddlewareHandler<MerchantEnv> {
  let inFlight = 0;
  const ofShops = new Map<string, number>();
  return async (c, next) => {
    const { shopId } = c.get('shop');
    const before = ofShops.get(shopId) ?? 0;
    if (inFlight >= total || before >= ofOneShop) throw full();
    inFlight += 1;
    ofShops.set(shopId, before + 1);
    try {
      await next();
    } finally {
      inFlight -= 1;
      // Kept at 0: an entry that comes and goes with each request costs more than one for each shop there is.
      ofShops.set(shopId, (ofShops.get(shopId) ?? 1) - 1);
    }
  };
}

/** At most so many calls at a time: what waits for a store that hangs is bounded. @throws Problem not_ready */
export function bounded<Arg, T>(total: number, call: (arg: Arg) => Promise<T>): (arg: Arg) => Promise<T> {
  let waiting = 0;
  return async (arg) => {
    if (waiting >= total) throw full();
    waiting += 1;
    try {
      return await call(arg);
    } finally {
      waiting -= 1;
    }
  };
}

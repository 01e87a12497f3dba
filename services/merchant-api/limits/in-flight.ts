import type { MiddlewareHandler } from 'hono';
import { Problem } from '#shared/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';

/**
 * How many requests a process works on at a time. A shop at its usual rate of 100 a second whose providers all hang for
 * the acceptance wait of 15 s has 1,500.
 */
export const maxInFlight = { total: 4_096, ofOneShop: 2_048 } as const;

type InFlight = {
  /** Before anything of a request is looked at: what waits for a store that hangs is bounded. */
  all: MiddlewareHandler<MerchantEnv>;
  /** Once the shop is known: one that waits for its providers leaves room for others. */
  ofShop: MiddlewareHandler<MerchantEnv>;
};

/** Bounds on requests that are under way; beyond them: 503 `not_ready` at once, with `Retry-After`. */
export function limitInFlight({
  total,
  ofOneShop,
}: { total: number; ofOneShop: number } = maxInFlight): InFlight {
  let inFlight = 0;
  const ofShops = new Map<string, number>();
  const full = () => new Problem('not_ready', { detail: 'too many requests are under way: come back' });
  return {
    all: async (_, next) => {
      if (inFlight >= total) throw full();
      inFlight += 1;
      try {
        await next();
      } finally {
        inFlight -= 1;
      }
    },
    ofShop: async (c, next) => {
      const { shopId } = c.get('shop');
      const before = ofShops.get(shopId) ?? 0;
      if (before >= ofOneShop) throw full();
      ofShops.set(shopId, before + 1);
      try {
        await next();
      } finally {
        // Kept at 0: an entry that comes and goes with each request costs more than one for each shop there is.
        ofShops.set(shopId, (ofShops.get(shopId) ?? 1) - 1);
      }
    },
  };
}

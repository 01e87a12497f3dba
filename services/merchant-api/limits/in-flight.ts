import type { MiddlewareHandler, Next } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';

/**
 * How many requests a process works on at a time. A shop at its usual rate of 100 a second whose
 * providers all hang for the acceptance wait of 15 s has 1,500.
 */
export const maxInFlight = { total: 4_096, perShop: 2_048 } as const;

const full = () =>
  new Problem('not_ready', { detail: 'too many requests in progress: retry later' });

type Limits = { total: number; perShop: number };

/**
 * Bounds calls that are made for a shop. A shop may hold at most as many slots as are still free,
 * so that several shops whose providers hang can't use up all of them.
 * @throws Problem not_ready
 */
export function boundedByShop<Arg extends { shopId: string }, T>(
  { total, perShop }: Limits,
  call: (arg: Arg) => Promise<T>,
): (arg: Arg) => Promise<T> {
  let used = 0;
  const ofShops = new Map<string, number>();
  return async (arg) => {
    const { shopId } = arg;
    const held = ofShops.get(shopId) ?? 0;
    if (held >= Math.min(perShop, total - used)) throw full();
    used += 1;
    ofShops.set(shopId, held + 1);
    try {
      return await call(arg);
    } finally {
      used -= 1;
      // Entries stay at 0: adding and removing one with each request costs more than storing one
      // for each shop.
      ofShops.set(shopId, (ofShops.get(shopId) ?? 1) - 1);
    }
  };
}

/**
 * Limits the requests in progress, once their bodies are received: a slow body uses no slot. A shop
 * that waits for its providers leaves slots for others. Beyond the limits: 503 `not_ready` at once,
 * with `Retry-After`.
 */
export function limitInFlight(limits: Limits = maxInFlight): MiddlewareHandler<MerchantEnv> {
  const handle = boundedByShop(limits, ({ next }: { shopId: string; next: Next }) => next());
  return (c, next) => handle({ shopId: c.get('shop').shopId, next });
}

/**
 * At most N calls at a time, so that a store that hangs doesn't collect waiting calls.
 * @throws Problem not_ready
 */
export function bounded<Arg, T>(
  total: number,
  call: (arg: Arg) => Promise<T>,
): (arg: Arg) => Promise<T> {
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

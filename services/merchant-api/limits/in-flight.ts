import type { MiddlewareHandler } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';

/**
 * How many requests a process works on at a time. A shop at its usual rate of 100 a second whose
 * providers all hang for the acceptance wait of 15 s has 1,500.
 */
export const maxInFlight = { total: 4_096, ofOneShop: 2_048 } as const;

const full = () =>
  new Problem('not_ready', { detail: 'too many requests in progress: retry later' });

type Places = { total: number; ofOneShop: number };

/**
 * Takes a place, and returns a function that frees it. A shop takes no more than it leaves free:
 * several that wait for their providers can't fill all places together, as each of them has less
 * the more are taken. @throws Problem not_ready
 */
function createPlaces({ total, ofOneShop }: Places): (shopId: string) => () => void {
  let taken = 0;
  const ofShops = new Map<string, number>();
  return (shopId) => {
    const before = ofShops.get(shopId) ?? 0;
    if (before >= Math.min(ofOneShop, total - taken)) throw full();
    taken += 1;
    ofShops.set(shopId, before + 1);
    return () => {
      taken -= 1;
      // Entries stay at 0: adding and removing one with each request costs more than keeping one
      // for each shop.
      ofShops.set(shopId, (ofShops.get(shopId) ?? 1) - 1);
    };
  };
}

/**
 * Limits the requests in progress, once their bodies have arrived: a slow body takes no place. One
 * shop that waits for its providers leaves room for others. Beyond the limits: 503 `not_ready` at
 * once, with `Retry-After`.
 */
export function limitInFlight(limits: Places = maxInFlight): MiddlewareHandler<MerchantEnv> {
  const take = createPlaces(limits);
  return async (c, next) => {
    const giveBack = take(c.get('shop').shopId);
    try {
      await next();
    } finally {
      giveBack();
    }
  };
}

/** The same for calls that are made for a shop. @throws Problem not_ready */
export function boundedByShop<Arg extends { shopId: string }, T>(
  limits: Places,
  call: (arg: Arg) => Promise<T>,
): (arg: Arg) => Promise<T> {
  const take = createPlaces(limits);
  return async (arg) => {
    const giveBack = take(arg.shopId);
    try {
      return await call(arg);
    } finally {
      giveBack();
    }
  };
}

/**
 * At most so many calls at a time, so that a store that hangs doesn't collect waiting calls.
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

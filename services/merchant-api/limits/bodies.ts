import type { Context, MiddlewareHandler } from 'hono';
import { createArrivals, type ArrivalLimits, type SentBy } from '#shared/platform/http/arrivals.ts';
import { maxJsonBytes, parseJson, readBytes } from '#shared/platform/http/body.ts';
import { clientAddress, subscriberOf } from '#shared/platform/http/client-address.ts';
import { contentTypeOf, requireContentType } from '#shared/platform/http/content-type.ts';
import type { MerchantEnv } from '../authentication.ts';

/**
 * Limits for slow JSON bodies. Each may use a place for 5 s, so there are many places, but few for
 * one sender.
 */
const jsonArrivals: ArrivalLimits = {
  room: { total: 4_096, ofOne: { sender: 64, shop: 128, address: 256 } },
  withinMs: 5_000,
};

/**
 * Reads JSON before the request is handled.
 * @throws Problem as `readBytes` and `Arrivals#read` do
 */
export function readBodies(
  trustedProxies: number,
  limits: ArrivalLimits = jsonArrivals,
): MiddlewareHandler<MerchantEnv> {
  const arrivals = createArrivals(limits);
  return async (c, next) => {
    if (c.req.method === 'POST' && contentTypeOf(c) === 'application/json') {
      const read = () => readBytes(c, maxJsonBytes);
      c.set('body', await arrivals.read(c, () => sentByOf(c, trustedProxies), read));
    }
    await next();
  };
}

/**
 * The JSON value that `readBodies` has read. @throws Problem content_type_unsupported, invalid_json
 */
export function jsonOf(c: Context<MerchantEnv>): unknown {
  requireContentType(c, 'application/json');
  return parseJson(c.get('body') ?? new Uint8Array());
}

export function sentByOf(c: Context<MerchantEnv>, trustedProxies: number): SentBy {
  const address = subscriberOf(clientAddress(c, { trustedProxies }));
  return { sender: c.get('keyId'), shop: c.get('shop').shopId, address };
}

import type { Context, MiddlewareHandler } from 'hono';
import {
  createIncomingBodies,
  type IncomingBodyLimits,
} from '#shared/platform/http/incoming-bodies.ts';
import type { Sender, SentBy } from '#shared/application/sent-by.ts';
import { maxJsonBytes, parseJson, readBytes } from '#shared/platform/http/body.ts';
import { clientAddress, subscriberPrefix } from '#shared/platform/http/client-address.ts';
import { requestContentType, requireContentType } from '#shared/platform/http/content-type.ts';
import type { MerchantEnv } from '../authentication.ts';

/**
 * Limits for slow JSON bodies. Each may use a slot for 5 s, so there are many slots, but few for
 * one sender.
 */
const jsonBodyLimits: IncomingBodyLimits<Sender> = {
  capacity: { total: 4_096, perOwner: { sender: 64, shop: 128, address: 256 } },
  withinMs: 5_000,
};

/**
 * Reads JSON before the request is handled.
 * @throws Problem as `readBytes` and `IncomingBodies#read` do
 */
export function readBodies(
  trustedProxies: number,
  limits: IncomingBodyLimits<Sender> = jsonBodyLimits,
): MiddlewareHandler<MerchantEnv> {
  const incomingBodies = createIncomingBodies(limits);
  return async (c, next) => {
    const { method } = c.req;
    if ((method === 'POST' || method === 'PATCH') && requestContentType(c) === 'application/json') {
      const read = () => readBytes(c, maxJsonBytes);
      c.set('body', await incomingBodies.read(c, () => requestSource(c, trustedProxies), read));
    }
    await next();
  };
}

/**
 * The JSON value that `readBodies` has read. @throws Problem content_type_unsupported, invalid_json
 */
export function parseBody(c: Context<MerchantEnv>): unknown {
  requireContentType(c, 'application/json');
  return parseJson(c.get('body') ?? new Uint8Array());
}

export function requestSource(c: Context<MerchantEnv>, trustedProxies: number): SentBy {
  const address = subscriberPrefix(clientAddress(c, { trustedProxies }));
  return { sender: c.get('keyId'), shop: c.get('shop').shopId, address };
}

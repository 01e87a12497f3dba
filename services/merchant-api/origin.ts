import type { Context } from 'hono';
import type { Origin } from '#shared/application/commands/origin.ts';
import { currentTraceparent } from '#shared/platform/tracing/tracing.ts';
import type { MerchantEnv } from './authentication.ts';

/** The origin of events that a merchant's request causes. */
export function shopOrigin(c: Context<MerchantEnv>): Origin {
  const requestId = c.get('requestId');
  const actor = `merchant:${c.get('shop').shopId}`;
  const traceparent = currentTraceparent();
  return { actor, keyId: c.get('keyId'), correlationId: requestId, requestId, traceparent };
}

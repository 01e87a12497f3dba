import type { Context, MiddlewareHandler } from 'hono';
import type { IncomingMessage } from 'node:http';
import { clientAddress, senderAddress, subscriberPrefix } from './client-address.ts';
import { Problem } from './problems.ts';
import { createSlowdown } from './slowdown.ts';
import { createTokenBuckets, type RateLimit } from './token-buckets.ts';

/**
 * A page has five files, four of which a browser caches: two hundred people behind one address may
 * open one at the same time.
 */
const defaultLimit: RateLimit = { per_second: 50, burst: 1_000 };

export type AnonymousLimit = {
  /**
   * Counts a request without a credential, or with one that turned out to be wrong.
   * @throws Problem rate_limited after a delay, if its address has sent too many
   */
  take(c: Context): Promise<void>;
  /** Counts it too, but only delays the answer when its address has sent too many. */
  slowDown(c: Context): Promise<void>;
  /** Whether its address has sent too many, while so many answers are delayed that it can't be. */
  isFlood(incoming: IncomingMessage): boolean;
};

/** Limits what one address sends without a credential (R1.13). */
export function createAnonymousLimit(options: {
  /** Proxies before this service, each of which adds the address before it to X-Forwarded-For. */
  trustedProxies: number;
  limit?: RateLimit | undefined;
  delayMs?: number | undefined;
}): AnonymousLimit {
  const { trustedProxies, limit = defaultLimit } = options;
  const buckets = createTokenBuckets();
  const delayed = createSlowdown(options.delayMs);
  /** A connection is answered one request at a time, so the delay slows down further requests. */
  const count = async (c: Context) => {
    const token = buckets.take(subscriberPrefix(clientAddress(c, { trustedProxies })), limit);
    if (!token.allowed) await delayed();
    return token;
  };
  return {
    take: async (c) => {
      const { allowed, nextInMs } = await count(c);
      if (allowed) return;
      throw new Problem('rate_limited', {
        detail: `one address may send ${limit.per_second} requests a second without a credential, with bursts of ${limit.burst}`,
        retryAfterMs: nextInMs,
      });
    },
    slowDown: async (c) => void (await count(c)),
    isFlood: (incoming) =>
      delayed.isFull() &&
      !buckets.allows(subscriberPrefix(senderAddress(incoming, { trustedProxies })), limit),
  };
}

/** The answer to a request without a credential when its address has sent too many. */
export type Anonymous = {
  limit: AnonymousLimit;
  showsCredential(c: Context): boolean;
  /** Whether it is answered by 401, however many came before. */
  isAskedForOne?(c: Context): boolean;
};

/** Counts requests without a credential; others are counted where the credential is checked. */
export function limitAnonymous({
  limit,
  showsCredential,
  isAskedForOne = () => false,
}: Anonymous): MiddlewareHandler {
  return async (c, next) => {
    if (!isProbe(c.req.path) && !showsCredential(c))
      await (isAskedForOne(c) ? limit.slowDown(c) : limit.take(c));
    await next();
  };
}

const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz', '/metrics']);
/** What machines poll every few seconds. */
export const isProbe = (path: string): boolean => probes.has(path);

import type { Context } from 'hono';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { clientAddress, subscriberOf } from './client-address.ts';
import { createSlowdown } from './slowdown.ts';
import { createTokenBuckets } from './token-buckets.ts';

export type RefusedCredentials = {
  /** Logs a wrong credential, and delays the answer after many of them. */
  note(c: Context, credential: string): Promise<void>;
};

type RefusedCredentialsOptions = {
  /** What it was: `an API key`. */
  what: string;
  logger: Logger;
  /** Proxies before this service, each of which adds the address before it to X-Forwarded-For. */
  trustedProxies: number;
  delayMs?: number;
};

/** A client with a list of old keys may try them all; one that continues is guessing. */
const limit = { per_second: 1, burst: 50 };
const shortestShown = 16;

/**
 * Slows down clients that send wrong credentials, each by itself. Nobody is turned away for what
 * others did: a credential that is right is never delayed, and one that is wrong gets the same
 * answer, later.
 */
export function createRefusedCredentials(options: RefusedCredentialsOptions): RefusedCredentials {
  const { what, logger, trustedProxies, delayMs } = options;
  const buckets = createTokenBuckets();
  const slowDown = createSlowdown(delayMs);
  return {
    note: async (c, credential) => {
      const address = subscriberOf(clientAddress(c, { trustedProxies }));
      logger.warn({ address, hint: hintOf(credential) }, `${what} was refused`);
      if (!buckets.take(address, limit).allowed) await slowDown();
    },
  };
}

/** The last four characters, as keys and tokens are listed by; none for one that is too short. */
const hintOf = (credential: string): string =>
  credential.length < shortestShown ? 'short' : credential.slice(-4);

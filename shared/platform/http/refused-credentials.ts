import type { Context } from 'hono';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { clientAddress, subscriberPrefix } from './client-address.ts';
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

/** A client may try a short list of old keys; one that continues is guessing. */
const limit = { per_second: 1, burst: 50 };
const shortestShown = 16;

/**
 * Delays the answers to each client that sends wrong credentials. A valid credential is never
 * delayed.
 */
export function createRefusedCredentials(options: RefusedCredentialsOptions): RefusedCredentials {
  const { what, logger, trustedProxies, delayMs } = options;
  const buckets = createTokenBuckets();
  const slowDown = createSlowdown(delayMs);
  return {
    note: async (c, credential) => {
      const address = subscriberPrefix(clientAddress(c, { trustedProxies }));
      logger.warn({ address, hint: credentialHint(credential) }, `${what} was refused`);
      if (!buckets.take(address, limit).allowed) await slowDown();
    },
  };
}

/** The last four characters, by which keys and tokens are listed; none of a short one. */
const credentialHint = (credential: string): string =>
  credential.length < shortestShown ? 'short' : credential.slice(-4);

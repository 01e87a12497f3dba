import { connect, type NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createTokenBuckets, type RateLimit, type RateLimiter } from '#shared/platform/http/token-buckets.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { natsConnectionOptions } from './connection-options.ts';

/** A limiter under which some requests turn out to cost more than others. */
export type SpendingLimiter = RateLimiter & {
  /** Takes more from the key's bucket afterwards, as far as there is. */
  spend(key: string, limit: RateLimit, tokens: number): void;
};
export type SharedLimiter = SpendingLimiter & { stop(): Promise<void> };

export type SharedLimiterOptions = {
  natsUrl: string;
  logger: Logger;
  /** Where the instances of one service hear each other; of another service's they know nothing. */
  subject: string;
};

/** How long an instance may not know of what the others have allowed. */
const tellEveryMs = 100;
/** A message of these stays far below the megabyte that a NATS server takes. */
const maxKeysAMessage = 2_000;
const connectAgainMs = 2_000;
/** A stop waits for it. */
const connectWithinMs = 3_000;

const count = z.number().int().min(1);
const messageSchema = z.object({
  from: z.string(),
  taken: z.array(z.tuple([z.string(), count, z.number().positive(), count])),
});
type Message = z.infer<typeof messageSchema>;

/**
 * One bucket a key over all instances: each counts for itself, and tells the others over NATS what
 * it has allowed, which they take from their own buckets. A client that sends to several instances
 * at once gets at most what they allow in a tenth of a second beyond the limit, and pays it back.
 * Without NATS, or while it is away, each instance keeps its own count: requests are never refused
 * for that, nor do they wait.
 */
export function createSharedLimiter({ natsUrl, logger, subject }: SharedLimiterOptions): SharedLimiter {
  const buckets = createTokenBuckets();
  const instance = newId();
  let allowed = new Map<string, { limit: RateLimit; count: number }>();
  let connection: NatsConnection | undefined;
  let telling: NodeJS.Timeout | undefined;
  const stopped = new AbortController();

  const hear = (data: Uint8Array) => {
    const message = readMessage(data);
    if (message === undefined || message.from === instance) return;
    for (const [key, taken, perSecond, burst] of message.taken)
      buckets.owe(key, { per_second: perSecond, burst }, taken);
  };
  const tell = () => {
    telling = undefined;
    const taken = [...allowed].map(([key, { limit, count: requests }]): Message['taken'][number] => [
      key,
      requests,
      limit.per_second,
      limit.burst,
    ]);
    allowed = new Map();
    // What is said while nobody can be reached would be old when it came.
    if (connection === undefined || connection.isClosed()) return;
    for (let at = 0; at < taken.length; at += maxKeysAMessage) {
      const message: Message = { from: instance, taken: taken.slice(at, at + maxKeysAMessage) };
      connection.publish(subject, JSON.stringify(message));
    }
  };
  const keepConnected = async () => {
    while (!stopped.signal.aborted) {
      try {
        const options = natsConnectionOptions(natsUrl);
        connection = await connect({
          ...options,
          name: subject,
          maxReconnectAttempts: -1,
          timeout: connectWithinMs,
        });
        // Stopped meanwhile: close what has just been opened.
        if (stopped.signal.aborted) await connection.close();
        else connection.subscribe(subject, { callback: (_error, { data }) => hear(data) });
        await connection.closed();
      } catch (error) {
        logger.warn({ err: error }, 'rate limits apply per instance only: NATS does not answer');
      }
      await delay(connectAgainMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const connected = keepConnected();

  const note = (key: string, limit: RateLimit, tokens: number) => {
    const known = allowed.get(key);
    if (known) known.count += tokens;
    else allowed.set(key, { limit, count: tokens });
    telling ??= setTimeout(tell, tellEveryMs).unref();
  };

  return {
    take: (key, limit) => {
      const taken = buckets.take(key, limit);
      if (taken.allowed) note(key, limit, 1);
      return taken;
    },
    spend: (key, limit, tokens) => {
      buckets.spend(key, tokens);
      note(key, limit, tokens);
    },
    stop: async () => {
      stopped.abort();
      clearTimeout(telling);
      await connection?.close();
      await connected;
    },
  };
}

function readMessage(data: Uint8Array): Message | undefined {
  try {
    return messageSchema.parse(JSON.parse(Buffer.from(data).toString('utf8')));
  } catch {
    // From another version, or malformed: ignored.
    return undefined;
  }
}

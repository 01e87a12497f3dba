import { connect, type NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  createTokenBuckets,
  type RateLimit,
  type RateLimiter,
} from '#shared/platform/http/token-buckets.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createWaitLog } from '#shared/platform/logging/wait-log.ts';
import { natsConnectionOptions } from './connection-options.ts';

/** A limiter for requests of which some cost more than others. */
export type SpendingLimiter = RateLimiter & {
  /** Takes more from the key's bucket afterwards, as far as there is. */
  spend(key: string, limit: RateLimit, tokens: number): void;
};
export type SharedLimiter = SpendingLimiter & { stop(): Promise<void> };

type SharedLimiterOptions = {
  natsUrl: string;
  logger: Logger;
  /** The NATS subject that the instances of one service share. */
  subject: string;
};

/** How long an instance may be unaware of what the others allowed. */
const sendEveryMs = 100;
/** Entries of one message, which stays far below the megabyte that NATS allows. */
const maxKeysAMessage = 2_000;
const connectAgainMs = 2_000;
/** A stop waits for it. */
const connectWithinMs = 3_000;

const count = z.number().int();
const messageSchema = z.object({
  from: z.string(),
  taken: z.array(z.tuple([z.string(), count, z.number().positive(), count.min(1)])),
});
type Message = z.infer<typeof messageSchema>;
/** A key, the tokens taken from its bucket (below zero if they were refunded), and its limit. */
type Usage = Message['taken'][number];

const toUsage = (key: string, limit: RateLimit, tokens: number): Usage => [
  key,
  tokens,
  limit.per_second,
  limit.burst,
];

/**
 * One bucket a key across all instances: each counts locally, and publishes over NATS what it
 * allowed, which the others deduct from their buckets. A client that uses several instances at once
 * gets at most what they allow in a tenth of a second beyond the limit, and pays it back. Without
 * NATS each instance counts by itself: no request is refused or delayed for that.
 */
export function createSharedLimiter(options: SharedLimiterOptions): SharedLimiter {
  const buckets = createTokenBuckets();
  const others = new OtherInstances(options, ([key, taken, perSecond, burst]) => {
    const limit = { per_second: perSecond, burst };
    if (taken > 0) buckets.owe(key, limit, taken);
    else buckets.refund(key, limit, -taken);
  });
  let allowed = new Map<string, { limit: RateLimit; count: number }>();
  /** What is more than a burst, or was refunded, since that is deducted or added in full. */
  let single: Usage[] = [];
  let sending: NodeJS.Timeout | undefined;

  const send = () => {
    sending = undefined;
    const usages = [...allowed].map(([key, { limit, count: requests }]) =>
      toUsage(key, limit, Math.min(requests, limit.burst)),
    );
    others.send([...single, ...usages]);
    allowed = new Map();
    single = [];
  };
  const note = (key: string, limit: RateLimit, tokens: number) => {
    const entry = allowed.get(key);
    if (tokens < 0 || tokens > limit.burst) single.push(toUsage(key, limit, tokens));
    else if (entry) entry.count += tokens;
    else allowed.set(key, { limit, count: tokens });
    sending ??= setTimeout(send, sendEveryMs).unref();
  };

  return {
    take: (key, limit, cost = 1) => {
      const token = buckets.take(key, limit, cost);
      if (token.allowed) note(key, limit, cost);
      return token;
    },
    allows: buckets.allows,
    refund: (key, limit, cost) => {
      buckets.refund(key, limit, cost);
      note(key, limit, -cost);
    },
    spend: (key, limit, tokens) => {
      buckets.spend(key, tokens);
      note(key, limit, Math.min(tokens, limit.burst));
    },
    stop: () => {
      clearTimeout(sending);
      return others.stop();
    },
  };
}

/** The other instances of the service, over NATS, while that is available. */
class OtherInstances {
  readonly #options: SharedLimiterOptions;
  readonly #onTaken: (usage: Usage) => void;
  readonly #instance = newId();
  readonly #stopped = new AbortController();
  readonly #connected: Promise<void>;
  #connection: NatsConnection | undefined;

  constructor(options: SharedLimiterOptions, onTaken: (usage: Usage) => void) {
    this.#options = options;
    this.#onTaken = onTaken;
    this.#connected = this.#keepConnected();
  }

  send(usages: readonly Usage[]): void {
    // What was sent during an outage would be outdated on arrival.
    if (this.#connection === undefined || this.#connection.isClosed()) return;
    for (let at = 0; at < usages.length; at += maxKeysAMessage) {
      const message: Message = {
        from: this.#instance,
        taken: usages.slice(at, at + maxKeysAMessage),
      };
      this.#connection.publish(this.#options.subject, JSON.stringify(message));
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#connection?.close();
    await this.#connected;
  }

  async #keepConnected(): Promise<void> {
    const { natsUrl, logger, subject } = this.#options;
    const { signal } = this.#stopped;
    const waiting = createWaitLog('NATS: rate limits apply per instance only', { logger });
    while (!signal.aborted) {
      try {
        const connection = await connect({
          ...natsConnectionOptions(natsUrl),
          name: subject,
          noEcho: true,
          maxReconnectAttempts: -1,
          timeout: connectWithinMs,
        });
        this.#connection = connection;
        // Stopped meanwhile: close what has just been opened.
        if (signal.aborted) await connection.close();
        else connection.subscribe(subject, { callback: (_error, { data }) => this.#receive(data) });
        await connection.closed();
      } catch (error) {
        if (this.#connection === undefined) waiting(error);
        else
          logger.warn({ err: error }, 'rate limits apply per instance only: NATS is unavailable');
      }
      await delay(connectAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #receive(data: Uint8Array): void {
    const message = readMessage(data);
    if (message === undefined || message.from === this.#instance) return;
    for (const usage of message.taken) this.#onTaken(usage);
  }
}

function readMessage(data: Uint8Array): Message | undefined {
  try {
    return messageSchema.parse(JSON.parse(Buffer.from(data).toString('utf8')));
  } catch {
    // From another version, or malformed: ignored.
    return undefined;
  }
}

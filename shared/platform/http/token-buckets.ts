export type RateLimit = { per_second: number; burst: number };

/** What one request did to its key's bucket. */
export type Taken = {
  allowed: boolean;
  /** Requests that the key may send at once from here on. */
  remaining: number;
  /** Until the bucket is full again. */
  fullInMs: number;
  /** Until the next request is allowed; 0 when it is already. */
  nextInMs: number;
};

/** Counts requests a key. */
export type RateLimiter = {
  /**
   * Takes what the request costs, one token by default. More than a burst takes a full bucket, and
   * leaves a debt: nothing is allowed until it is paid.
   */
  take(key: string, limit: RateLimit, cost?: number): Taken;
  /** Adds what `take` took for a request that was not carried out, up to a full bucket. */
  refund(key: string, limit: RateLimit, cost: number): void;
  /** Whether `take` would allow a request now. */
  allows(key: string, limit: RateLimit): boolean;
};

type Bucket = { tokens: number; burst: number; filledAtMs: number };

const maxKeys = 100_000;

/** Two generations of buckets instead of an ordered list: the old one is dropped as a whole. */
class RecentBuckets {
  readonly #max: number;
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();

  constructor(max: number) {
    this.#max = max;
  }

  find(key: string): Bucket | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** The key's bucket, which becomes young; `full` if there is none. */
  use(key: string, full: Bucket): Bucket {
    const current = this.#young.get(key);
    if (current) return current;
    if (this.#young.size >= this.#max / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const bucket = this.#old.get(key) ?? full;
    this.#young.set(key, bucket);
    return bucket;
  }
}

/**
 * One token bucket a key (R1.7), filled evenly. The limit is passed with each request, so that a
 * change applies to the next one, and a raised burst is available at once. At most `maxBuckets` are
 * held: a bucket that goes unused while half as many others are used is dropped, and its key starts
 * with a full one.
 */
export function createTokenBuckets({
  nowMs = () => performance.now(),
  maxBuckets = maxKeys,
} = {}): RateLimiter & {
  /**
   * Takes more from the key's bucket afterwards, down to zero, for a request that cost more than
   * others.
   */
  spend(key: string, tokens: number): void;
  /**
   * Deducts what other instances allowed: requests down to minus one burst, a cost above a burst in
   * full. A debt below that remains.
   */
  owe(key: string, limit: RateLimit, tokens: number): void;
} {
  const buckets = new RecentBuckets(maxBuckets);

  /** The bucket with the tokens that were added since its last use. */
  const fill = (key: string, { per_second: perSecond, burst }: RateLimit): Bucket => {
    const atMs = nowMs();
    const bucket = buckets.use(key, { tokens: burst, burst, filledAtMs: atMs });
    const added =
      ((atMs - bucket.filledAtMs) * perSecond) / 1000 + Math.max(0, burst - bucket.burst);
    const tokens = Math.min(burst, bucket.tokens + added);
    return Object.assign(bucket, { tokens, burst, filledAtMs: atMs });
  };

  return {
    spend: (key, tokens) => {
      const bucket = buckets.find(key);
      if (bucket) bucket.tokens = Math.max(0, bucket.tokens - tokens);
    },
    owe: (key, limit, tokens) => {
      const bucket = fill(key, limit);
      const left = bucket.tokens - tokens;
      const lowest = Math.min(bucket.tokens, -limit.burst);
      bucket.tokens = tokens > limit.burst ? left : Math.max(lowest, left);
    },
    refund: (key, limit, cost) => {
      const bucket = fill(key, limit);
      bucket.tokens = Math.min(limit.burst, bucket.tokens + cost);
    },
    allows: (key, limit) => fill(key, limit).tokens >= 1,
    take: (key, limit, cost = 1) => {
      const { per_second: perSecond, burst } = limit;
      const bucket = fill(key, limit);
      const needed = Math.min(cost, burst);
      const allowed = bucket.tokens >= needed;
      if (allowed) bucket.tokens -= cost;
      const { tokens } = bucket;
      return {
        allowed,
        remaining: Math.max(0, Math.floor(tokens)),
        fullInMs: ((burst - tokens) * 1000) / perSecond,
        nextInMs: tokens >= needed ? 0 : ((needed - tokens) * 1000) / perSecond,
      };
    },
  };
}

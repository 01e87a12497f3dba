export const limitBounds = { least: 8, most: 256 } as const;
/**
 * How long the part of a create before its provider is called may take, on average: with an event
 * store in the process it has few turns of the event loop, with one over the network it waits for
 * that, too.
 */
export const longestMs = { inProcess: 35, overNetwork: 150 } as const;
/** The average is taken of all creates of a window, which has some at least. */
const window = { ms: 50, creates: 8 } as const;
const shrink = 0.9;

/**
 * How many creates may be in progress at a time: the limit shrinks while they take long, and grows
 * while they are fast. What makes creates slow (a busy event loop, event store or
 * machine) also delays the callbacks, ledger entries and webhooks of earlier operations, which have
 * no such limit and so get what creates leave.
 */
export class ConcurrencyLimit {
  /** High until creates are slow: a store that stalls for two seconds should fail none. */
  #limit: number = limitBounds.most;
  readonly #longestMs: number;
  #windowEndsMs: number | undefined;
  #count = 0;
  #sumMs = 0;

  constructor(longest: number) {
    this.#longestMs = longest;
  }

  get value(): number {
    return Math.floor(this.#limit);
  }

  /** Records how long a create has taken. */
  observe(tookMs: number, nowMs: number): void {
    this.#count += 1;
    this.#sumMs += tookMs;
    this.#windowEndsMs ??= nowMs + window.ms;
    if (nowMs < this.#windowEndsMs || this.#count < window.creates) return;
    if (this.#sumMs / this.#count > this.#longestMs)
      this.#limit = Math.max(limitBounds.least, this.#limit * shrink);
    else this.#limit = Math.min(limitBounds.most, this.#limit + 1);
    this.#windowEndsMs = nowMs + window.ms;
    this.#count = 0;
    this.#sumMs = 0;
  }
}

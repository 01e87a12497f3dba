export const limitBounds = { least: 8, most: 256 } as const;
/** How many times the shortest duration the average may be. */
const tolerance = 16;
/** The average is taken of all creates of a window, which has some at least. */
const window = { ms: 50, creates: 8 } as const;
const shrink = 0.9;
/** The growth of the shortest duration with each create that was alone. */
const rise = 1.02;

/**
 * How many creates may be in progress at a time: the limit shrinks while they take long, and grows
 * while they are fast. Long is a multiple of the shortest duration seen lately, which a slow
 * machine, or an event store over the network, lengthens too. What makes creates slow (a busy event
 * loop, event store or machine) also delays the callbacks, ledger entries and webhooks of earlier
 * operations, which have no such limit and so get what creates leave.
 */
export class AdaptiveLimit {
  /** High until creates are slow: a store that stalls for two seconds should fail none. */
  #limit: number = limitBounds.most;
  #shortestMs = Infinity;
  #windowEndsMs: number | undefined;
  #count = 0;
  #sumMs = 0;

  get value(): number {
    return Math.floor(this.#limit);
  }

  /** The shortest duration lately, in milliseconds; Infinity before the first create. */
  get shortestMs(): number {
    return this.#shortestMs;
  }

  /**
   * Records how long a create has taken. Only one that was alone says how slow the machine is:
   * others are slow because of the load, with which the shortest duration must not grow.
   */
  observe(tookMs: number, { nowMs, isAlone }: { nowMs: number; isAlone: boolean }): void {
    this.#shortestMs = Math.min(tookMs, this.#shortestMs * (isAlone ? rise : 1));
    this.#count += 1;
    this.#sumMs += tookMs;
    this.#windowEndsMs ??= nowMs + window.ms;
    if (nowMs < this.#windowEndsMs || this.#count < window.creates) return;
    if (this.#sumMs / this.#count > this.#shortestMs * tolerance)
      this.#limit = Math.max(limitBounds.least, this.#limit * shrink);
    else this.#limit = Math.min(limitBounds.most, this.#limit + 1);
    this.#windowEndsMs = nowMs + window.ms;
    this.#count = 0;
    this.#sumMs = 0;
  }
}

type Waiter = { answer(slot: Release | undefined): void; untilMs: number };
export type Release = () => void;

type Options = {
  /** How many slots there are now. */
  limit(): number;
  waitMs: number;
  waitersPerShop: number;
};

/**
 * Slots that shops share fairly. When all are in use, requests wait for a moment, and shops get the
 * next free slots in turn, however many requests each of them has waiting.
 */
export class FairSlots {
  readonly #options: Options;
  #used = 0;
  /** The shop that is first gets the next slot. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(options: Options) {
    this.#options = options;
  }

  get waiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** @returns a function that releases the slot; undefined if none became free in time */
  async acquire(shopId: string, nowMs: number): Promise<Release | undefined> {
    const { limit, waitMs, waitersPerShop } = this.#options;
    if (this.#used < limit() && !this.waiting) return this.#take();
    const ofShop = this.#waiting.get(shopId) ?? [];
    if (ofShop.length >= waitersPerShop) return undefined;
    const { promise, resolve } = Promise.withResolvers<Release | undefined>();
    ofShop.push({ answer: resolve, untilMs: nowMs + waitMs });
    this.#waiting.set(shopId, ofShop);
    return promise;
  }

  /** Ends the wait of those that have waited too long. To be called while `waiting`. */
  expire(nowMs: number): void {
    for (const [shopId, waiters] of this.#waiting) {
      while (waiters[0] && waiters[0].untilMs <= nowMs) waiters.shift()?.answer(undefined);
      if (waiters.length === 0) this.#waiting.delete(shopId);
    }
    this.#grant();
  }

  #grant(): void {
    while (this.#used < this.#options.limit()) {
      const [next] = this.#waiting;
      if (!next) return;
      const [shopId, waiters] = next;
      const waiter = waiters.shift();
      this.#waiting.delete(shopId);
      if (waiters.length > 0) this.#waiting.set(shopId, waiters);
      waiter?.answer(this.#take());
    }
  }

  #take(): Release {
    this.#used += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#used -= 1;
      this.#grant();
    };
  }
}

type Waiter = { answer(slot: Release | undefined): void };
export type Release = () => void;

type Options = {
  /** How many slots there are now. */
  limit(): number;
  waitMs: number;
  /** How many creates of a shop may always wait. */
  waitersPerShop: number;
  /** How many may wait in all, if shops have more than that waiting. */
  waiters: number;
};

/**
 * Slots that shops share fairly. When all are in use, requests wait for a short time, and shops get
 * the next free slots in turn, however many requests each of them has waiting.
 */
export class FairSlots {
  readonly #options: Options;
  #used = 0;
  #waitingCount = 0;
  /** The shop that is first gets the next slot. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(options: Options) {
    this.#options = options;
  }

  get #full(): boolean {
    return this.#used >= this.#options.limit();
  }

  /** @returns a function that releases the slot; undefined if none became free in time */
  async acquire(shopId: string): Promise<Release | undefined> {
    const { waitMs, waitersPerShop, waiters } = this.#options;
    if (!this.#full && this.#waiting.size === 0) return this.#take();
    const ofShop = this.#waiting.get(shopId) ?? [];
    if (ofShop.length >= waitersPerShop && this.#waitingCount >= waiters) return undefined;
    const { promise, resolve } = Promise.withResolvers<Release | undefined>();
    const waiter: Waiter = {
      answer: (slot) => {
        this.#waitingCount -= 1;
        clearTimeout(timer);
        resolve(slot);
      },
    };
    const timer = setTimeout(() => this.#giveUp(shopId, waiter), waitMs);
    ofShop.push(waiter);
    this.#waitingCount += 1;
    this.#waiting.set(shopId, ofShop);
    return promise;
  }

  #giveUp(shopId: string, waiter: Waiter): void {
    const left = this.#waiting.get(shopId)?.filter((other) => other !== waiter) ?? [];
    if (left.length > 0) this.#waiting.set(shopId, left);
    else this.#waiting.delete(shopId);
    waiter.answer(undefined);
  }

  #grant(): void {
    while (!this.#full) {
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

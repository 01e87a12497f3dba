type Waiter = { answer(slot: Release | undefined): void };
export type Release = () => void;

type Options = {
  /** How many slots there are now. */
  limit(): number;
  /** Requests that wait for longer than this without a pause are an overload; before, a burst. */
  burstMs: number;
  /** How long a request waits: one of a burst, and one that comes during an overload. */
  waitMs: { burst: number; overload: number };
  /** How many requests of a shop may always wait during an overload. */
  waitersPerShop: number;
  /** How many may wait in all during an overload, if shops have more than that waiting. */
  waiters: number;
  /** Milliseconds, of a clock that only advances. */
  now?: () => number;
};

/**
 * Slots that shops share fairly: when all are in use, requests wait, and shops get the next free
 * slots in turn, however many requests each of them has waiting. A queue that empties in time is a
 * burst, of which none is refused. One that persists is an overload (CoDel): further requests wait
 * for a short time, or are refused at once where too many wait.
 */
export class FairSlots {
  readonly #options: Options;
  readonly #now: () => number;
  #used = 0;
  #waitingCount = 0;
  /** When requests began to wait, and when the last one ceased to. */
  #queuedSinceMs = -Infinity;
  #emptySinceMs = -Infinity;
  /** The shop that is first gets the next slot. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get #full(): boolean {
    return this.#used >= this.#options.limit();
  }

  /** Whether requests wait now. */
  get queued(): boolean {
    return this.#waitingCount > 0;
  }

  /** Whether a request of the shop would be refused at once. */
  refuses(shopId: string): boolean {
    const { waitersPerShop, waiters, burstMs } = this.#options;
    return (
      this.#waitingCount >= waiters &&
      (this.#waiting.get(shopId)?.length ?? 0) >= waitersPerShop &&
      this.#now() - this.#queuedSinceMs >= burstMs
    );
  }

  /** @returns a function that releases the slot; undefined if none became free in time */
  async acquire(shopId: string): Promise<Release | undefined> {
    if (!this.#full && !this.queued) return this.#take();
    const overloaded = this.#noteQueue();
    if (this.refuses(shopId)) return undefined;
    const { waitMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Release | undefined>();
    const waiter: Waiter = {
      answer: (slot) => {
        clearTimeout(timer);
        resolve(slot);
      },
    };
    const timer = setTimeout(
      () => this.#giveUp(shopId, waiter),
      overloaded ? waitMs.overload : waitMs.burst,
    );
    this.#add(shopId, waiter);
    return promise;
  }

  /** A slot for what was let in before and is never refused: it waits as long as it takes. */
  async reacquire(shopId: string): Promise<Release> {
    if (!this.#full && !this.queued) return this.#take();
    this.#noteQueue();
    const { promise, resolve } = Promise.withResolvers<Release>();
    this.#add(shopId, { answer: (slot) => slot && resolve(slot) }, 'first');
    return promise;
  }

  /** @returns whether requests have waited for so long that it is an overload */
  #noteQueue(): boolean {
    const { burstMs, waitMs } = this.#options;
    const nowMs = this.#now();
    // A queue that is empty for a moment, because what waited was refused, is still the same one.
    if (!this.queued && nowMs - this.#emptySinceMs > waitMs.overload) this.#queuedSinceMs = nowMs;
    return nowMs - this.#queuedSinceMs >= burstMs;
  }

  #add(shopId: string, waiter: Waiter, where: 'first' | 'last' = 'last'): void {
    const waiters = this.#waiting.get(shopId) ?? [];
    if (where === 'first') waiters.unshift(waiter);
    else waiters.push(waiter);
    this.#waiting.set(shopId, waiters);
    this.#waitingCount += 1;
  }

  #noteRemoved(): void {
    this.#waitingCount -= 1;
    if (!this.queued) this.#emptySinceMs = this.#now();
  }

  #giveUp(shopId: string, waiter: Waiter): void {
    const left = this.#waiting.get(shopId)?.filter((other) => other !== waiter) ?? [];
    if (left.length > 0) this.#waiting.set(shopId, left);
    else this.#waiting.delete(shopId);
    this.#noteRemoved();
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
      this.#noteRemoved();
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

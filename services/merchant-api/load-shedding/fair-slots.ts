export type Release = () => void;
type Waiter = { answer(slot: Release | undefined): void; wasLetIn: boolean };
type Queue = {
  waiters: Waiter[];
  sinceMs: number;
  /** When one that waited was last refused. */
  refusedLastMs: number;
};
/** How many may wait: of one shop, and in all. */
type WaitingLimit = { perShop: number; total: number };

type Options = {
  /** How many slots there are now. */
  limit(): number;
  /** A queue that is served for longer than this without becoming empty is an overload. */
  burstMs: number;
  /** How long a request waits: one of a burst, and one that comes during an overload. */
  waitMs: { burst: number; overload: number };
  /** In a burst neither may be exceeded; in an overload, not both. */
  waiting: { burst: WaitingLimit; overload: WaitingLimit };
  /** Milliseconds, of a clock that only advances. */
  now?: () => number;
};

/**
 * Slots that shops share fairly: none holds more than half of them, requests wait when there is
 * none, and shops get the next free ones in turn, however many requests each has waiting. A shop's
 * queue that is served until it is empty is a burst, of which none is refused. One that persists is
 * an overload (CoDel): further requests wait for a short time, or are refused at once where too
 * many wait.
 */
export class FairSlots {
  readonly #options: Options;
  readonly #now: () => number;
  #used = 0;
  readonly #usedByShop = new Map<string, number>();
  #waitingCount = 0;
  /** The shops with waiting requests: the first one gets the next slot. */
  readonly #turns = new Set<string>();
  /** A queue that was served until it was empty is removed. */
  readonly #queues = new Map<string, Queue>();

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** How many slots are held. */
  get used(): number {
    return this.#used;
  }

  /** Whether a request of the shop would be refused at once. */
  refuses(shopId: string): boolean {
    const queue = this.#queues.get(shopId);
    const ofShop = queue?.waiters.length ?? 0;
    const { burst, overload } = this.#options.waiting;
    if (ofShop >= burst.perShop || this.#waitingCount >= burst.total) return true;
    return (
      this.#isOverload(queue) && ofShop >= overload.perShop && this.#waitingCount >= overload.total
    );
  }

  /**
   * @param signal of the client, which may leave while it waits
   * @returns a function that releases the slot; undefined if none became free in time
   */
  async acquire(shopId: string, signal?: () => AbortSignal): Promise<Release | undefined> {
    const slot = this.#takeNow(shopId);
    if (slot) return slot;
    if (this.refuses(shopId)) return undefined;
    const { promise, resolve } = Promise.withResolvers<Release | undefined>();
    const giveUp = () => this.#giveUp(shopId, waiter);
    const leaving = signal?.();
    const waiter: Waiter = {
      wasLetIn: false,
      answer: (granted) => {
        clearTimeout(timer);
        leaving?.removeEventListener('abort', giveUp);
        resolve(granted);
      },
    };
    const queue = this.#add(shopId, waiter);
    const { burst, overload } = this.#options.waitMs;
    const timer = setTimeout(giveUp, this.#isOverload(queue) ? overload : burst);
    leaving?.addEventListener('abort', giveUp);
    return promise;
  }

  /** A slot for what was let in before and is never refused: it waits as long as it takes. */
  async reacquire(shopId: string): Promise<Release> {
    const slot = this.#takeNow(shopId);
    if (slot) return slot;
    const { promise, resolve } = Promise.withResolvers<Release>();
    this.#add(shopId, { wasLetIn: true, answer: (granted) => granted && resolve(granted) });
    return promise;
  }

  #takeNow(shopId: string): Release | undefined {
    if (this.#waitingCount > 0) this.#grant();
    return !this.#turns.has(shopId) && this.#hasSlotFor(shopId) ? this.#take(shopId) : undefined;
  }

  #hasSlotFor(shopId: string): boolean {
    const limit = this.#options.limit();
    return this.#used < limit && (this.#usedByShop.get(shopId) ?? 0) < Math.ceil(limit / 2);
  }

  #isOverload(queue: Queue | undefined): boolean {
    return queue !== undefined && this.#now() - queue.sinceMs >= this.#options.burstMs;
  }

  /** What was let in comes before what was not. */
  #add(shopId: string, waiter: Waiter): Queue {
    const queue = this.#queueOf(shopId);
    const { waiters } = queue;
    const at = waiter.wasLetIn ? waiters.findIndex(({ wasLetIn }) => !wasLetIn) : -1;
    waiters.splice(at < 0 ? waiters.length : at, 0, waiter);
    this.#turns.add(shopId);
    this.#waitingCount += 1;
    return queue;
  }

  /** A queue of which the rest was refused, and not served, is still the same one for a while. */
  #queueOf(shopId: string): Queue {
    const nowMs = this.#now();
    const last = this.#queues.get(shopId);
    const persists =
      last &&
      (last.waiters.length > 0 || nowMs - last.refusedLastMs <= this.#options.waitMs.overload);
    const queue = persists ? last : { waiters: [], sinceMs: nowMs, refusedLastMs: -Infinity };
    this.#queues.set(shopId, queue);
    return queue;
  }

  #giveUp(shopId: string, waiter: Waiter): void {
    const queue = this.#queues.get(shopId);
    if (!queue) return;
    queue.waiters = queue.waiters.filter((other) => other !== waiter);
    queue.refusedLastMs = this.#now();
    if (queue.waiters.length === 0) this.#turns.delete(shopId);
    this.#waitingCount -= 1;
    waiter.answer(undefined);
  }

  #grant(): void {
    for (const shopId of this.#turns) {
      if (this.#used >= this.#options.limit()) return;
      const queue = this.#queues.get(shopId);
      if (!queue || !this.#hasSlotFor(shopId)) continue;
      const waiter = queue.waiters.shift();
      // The shop's next one comes after those of all others.
      this.#turns.delete(shopId);
      if (queue.waiters.length > 0) this.#turns.add(shopId);
      else this.#queues.delete(shopId);
      this.#waitingCount -= 1;
      waiter?.answer(this.#take(shopId));
    }
  }

  #take(shopId: string): Release {
    this.#used += 1;
    this.#usedByShop.set(shopId, (this.#usedByShop.get(shopId) ?? 0) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#used -= 1;
      const left = (this.#usedByShop.get(shopId) ?? 1) - 1;
      if (left > 0) this.#usedByShop.set(shopId, left);
      else this.#usedByShop.delete(shopId);
      this.#grant();
    };
  }
}

export type Release = () => void;
type Waiter = { answer(slot: Release | undefined): void; wasLetIn: boolean; sinceMs: number };
/** The requests of a shop that wait, and those that waited before without a pause. */
type Queue = {
  waiters: Waiter[];
  sinceMs: number;
  emptySinceMs: number;
  refusedLastMs: number;
};
/** How many may wait: of one shop, and in all. */
type WaitingLimit = { perShop: number; total: number };

type Options = {
  /** How many slots there are now. */
  limit(): number;
  /** An overload begins when no request of a shop got a slot promptly for so long. */
  burstMs: number;
  /** It ends when none of the shop's was refused for so long. */
  calmMs: number;
  /** How long a request waits: one of a burst, and one that comes during an overload. */
  waitMs: { burst: number; overload: number };
  /** In a burst neither may be exceeded; in an overload, not both. */
  waiting: { burst: WaitingLimit; overload: WaitingLimit };
  /** Milliseconds, of a clock that only advances. */
  now?: () => number;
};

/**
 * Slots that shops share fairly: none holds more than half of them, requests wait when there is
 * none, and shops get the next free ones in turn, however many requests each has waiting. Requests
 * that wait are a burst, of which none is refused, as long as some get their slots promptly.
 * Otherwise it is an overload (CoDel): further requests wait for a short time, or are refused at
 * once where too many wait.
 */
export class FairSlots {
  readonly #options: Options;
  readonly #now: () => number;
  #used = 0;
  readonly #usedByShop = new Map<string, number>();
  #waitingCount = 0;
  /** The shops with waiting requests: the first one gets the next slot. */
  readonly #turns = new Set<string>();
  /** A queue ends when a request gets its slot promptly, unless it is an overload. */
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
      queue !== undefined &&
      this.#isOverload(queue) &&
      ofShop >= overload.perShop &&
      this.#waitingCount >= overload.total
    );
  }

  /** Call it for each request that is refused without `acquire`. */
  noteRefused(shopId: string): void {
    const queue = this.#queues.get(shopId);
    if (queue) queue.refusedLastMs = this.#now();
  }

  /**
   * @param signal of the client, which may leave while it waits
   * @returns a function that releases the slot; undefined if none became free in time
   */
  async acquire(shopId: string, signal?: () => AbortSignal): Promise<Release | undefined> {
    const slot = this.#takeNow(shopId);
    if (slot) return slot;
    if (this.refuses(shopId)) {
      this.noteRefused(shopId);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<Release | undefined>();
    const giveUp = () => this.#giveUp(shopId, waiter);
    const leaving = signal?.();
    const waiter: Waiter = {
      wasLetIn: false,
      sinceMs: this.#now(),
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
    const answer: Waiter['answer'] = (granted) => granted && resolve(granted);
    this.#add(shopId, { wasLetIn: true, sinceMs: this.#now(), answer });
    return promise;
  }

  #takeNow(shopId: string): Release | undefined {
    if (this.#waitingCount > 0) this.#grant();
    if (this.#turns.has(shopId) || !this.#hasSlotFor(shopId)) return undefined;
    this.#notePrompt(shopId);
    return this.#take(shopId);
  }

  #notePrompt(shopId: string): void {
    const queue = this.#queues.get(shopId);
    if (queue && !this.#isOverload(queue)) this.#end(shopId, queue);
  }

  #end(shopId: string, queue: Queue): void {
    if (queue.waiters.length === 0) this.#queues.delete(shopId);
    else queue.sinceMs = this.#now();
  }

  #hasSlotFor(shopId: string): boolean {
    const limit = this.#options.limit();
    return this.#used < limit && (this.#usedByShop.get(shopId) ?? 0) < Math.ceil(limit / 2);
  }

  #isOverload({ sinceMs, refusedLastMs }: Queue): boolean {
    const beganMs = sinceMs + this.#options.burstMs;
    return this.#now() >= beganMs && !this.#isPast(beganMs, refusedLastMs);
  }

  #isPast(beganMs: number, refusedLastMs: number): boolean {
    return this.#now() - Math.max(beganMs, refusedLastMs) > this.#options.calmMs;
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

  /** What waits after a pause, or after an overload has ended, is a new burst. */
  #queueOf(shopId: string): Queue {
    const nowMs = this.#now();
    const queue = this.#queues.get(shopId);
    const { burstMs, waitMs } = this.#options;
    if (queue) {
      const isIdle = queue.waiters.length === 0 && nowMs - queue.emptySinceMs > waitMs.overload;
      const isPast = this.#isPast(queue.sinceMs + burstMs, queue.refusedLastMs);
      if (isPast || (isIdle && !this.#isOverload(queue))) queue.sinceMs = nowMs;
      return queue;
    }
    const begun = { waiters: [], sinceMs: nowMs, emptySinceMs: nowMs, refusedLastMs: -Infinity };
    this.#queues.set(shopId, begun);
    return begun;
  }

  #giveUp(shopId: string, waiter: Waiter): void {
    const queue = this.#queues.get(shopId);
    if (!queue) return;
    queue.waiters = queue.waiters.filter((other) => other !== waiter);
    queue.refusedLastMs = this.#now();
    queue.emptySinceMs = this.#now();
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
      // A long burst of which none was refused has ended.
      else if (this.#isOverload(queue) && queue.refusedLastMs < queue.sinceMs)
        this.#queues.delete(shopId);
      queue.emptySinceMs = this.#now();
      this.#waitingCount -= 1;
      if (waiter && this.#now() - waiter.sinceMs <= this.#options.waitMs.overload)
        this.#notePrompt(shopId);
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

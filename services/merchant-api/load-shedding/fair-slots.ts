export type Release = () => void;
type Waiter = { answer(slot: Release | undefined): void; sinceMs: number };
/** The requests of a shop that wait, and those that waited before without a pause. */
type Queue = {
  /** Of what was let in before: it is served first, and is not refused. */
  insiders: Waiter[];
  newcomers: Waiter[];
  /** When it began, or when one of its requests last got a slot promptly. */
  promptLastMs: number;
  leftLastMs: number;
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
  /** How many newcomers wait, of all shops. */
  #newcomers = 0;
  /** When a newcomer last stopped waiting. */
  #leftLastMs = -Infinity;
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
    const ofShop = queue?.newcomers.length ?? 0;
    const { burst, overload } = this.#options.waiting;
    // At most as many as may still wait, so that the bursts of two shops leave room for others.
    if (ofShop >= Math.min(burst.perShop, burst.total - this.#newcomers)) return true;
    return (
      queue !== undefined &&
      this.#isOverload(queue) &&
      ofShop >= overload.perShop &&
      this.#newcomers >= overload.total
    );
  }

  /** Call it for each request that is refused: an overload lasts while there are any. */
  noteRefused(shopId: string): void {
    const queue = this.#queues.get(shopId);
    if (queue) queue.refusedLastMs = this.#now();
  }

  /**
   * @param signal of the client, which may leave while it waits
   * @returns a function that releases the slot; undefined if none became free in time, or the
   *   client left
   */
  async acquire(shopId: string, signal?: () => AbortSignal): Promise<Release | undefined> {
    const slot = this.#takeNow(shopId);
    if (slot) return slot;
    const client = signal?.();
    if (client?.aborted || this.refuses(shopId)) return undefined;
    const { promise, resolve } = Promise.withResolvers<Release | undefined>();
    const giveUp = () => this.#giveUp(shopId, waiter);
    const waiter: Waiter = {
      sinceMs: this.#now(),
      answer: (granted) => {
        clearTimeout(timer);
        client?.removeEventListener('abort', giveUp);
        resolve(granted);
      },
    };
    const queue = this.#queueToJoin(shopId);
    queue.newcomers.push(waiter);
    this.#newcomers += 1;
    const { burst, overload } = this.#options.waitMs;
    // After a stall of the process, what frees slots is read before the first one is refused.
    const timer = setTimeout(
      () => setImmediate(giveUp),
      this.#isOverload(queue) ? overload : burst,
    );
    client?.addEventListener('abort', giveUp);
    return promise;
  }

  /** A slot for what was let in before and is never refused: it waits as long as it takes. */
  async reacquire(shopId: string): Promise<Release> {
    const slot = this.#takeNow(shopId);
    if (slot) return slot;
    const { promise, resolve } = Promise.withResolvers<Release>();
    const answer: Waiter['answer'] = (granted) => granted && resolve(granted);
    this.#queueToJoin(shopId).insiders.push({ sinceMs: this.#now(), answer });
    return promise;
  }

  #takeNow(shopId: string): Release | undefined {
    if (this.#turns.size > 0) this.#grant();
    if (this.#turns.has(shopId) || !this.#hasSlotFor(shopId)) return undefined;
    this.#endWhenIdle();
    this.#notePrompt(shopId);
    return this.#take(shopId);
  }

  /** With a free slot, and nobody waiting for some time, there is no overload of any shop. */
  #endWhenIdle(): void {
    const idleMs = this.#now() - this.#leftLastMs;
    if (this.#turns.size === 0 && idleMs > this.#options.waitMs.overload) this.#queues.clear();
  }

  #notePrompt(shopId: string): void {
    const queue = this.#queues.get(shopId);
    if (!queue || this.#isOverload(queue)) return;
    if (isEmpty(queue)) this.#queues.delete(shopId);
    else queue.promptLastMs = this.#now();
  }

  #hasSlotFor(shopId: string): boolean {
    const limit = this.#options.limit();
    return this.#used < limit && (this.#usedByShop.get(shopId) ?? 0) < Math.ceil(limit / 2);
  }

  /** What waits, or was refused, shows that none was served promptly for so long. */
  #isOverload({ newcomers, promptLastMs, refusedLastMs }: Queue): boolean {
    const beganMs = promptLastMs + this.#options.burstMs;
    const isEvident = newcomers.length > 0 || refusedLastMs >= beganMs;
    return isEvident && this.#now() >= beganMs && !this.#isPast(beganMs, refusedLastMs);
  }

  #isPast(beganMs: number, refusedLastMs: number): boolean {
    return this.#now() - Math.max(beganMs, refusedLastMs) > this.#options.calmMs;
  }

  /** What waits after a pause, or after an overload has ended, is a new burst. */
  #queueToJoin(shopId: string): Queue {
    this.#turns.add(shopId);
    const nowMs = this.#now();
    const queue = this.#queues.get(shopId);
    const { burstMs, waitMs } = this.#options;
    if (queue) {
      const isIdle = isEmpty(queue) && nowMs - queue.leftLastMs > waitMs.overload;
      const isPast = this.#isPast(queue.promptLastMs + burstMs, queue.refusedLastMs);
      if (isPast || (isIdle && !this.#isOverload(queue))) queue.promptLastMs = nowMs;
      return queue;
    }
    const first: Queue = {
      insiders: [],
      newcomers: [],
      promptLastMs: nowMs,
      leftLastMs: nowMs,
      refusedLastMs: -Infinity,
    };
    this.#queues.set(shopId, first);
    return first;
  }

  #giveUp(shopId: string, waiter: Waiter): void {
    const queue = this.#queues.get(shopId);
    const at = queue?.newcomers.indexOf(waiter) ?? -1;
    if (!queue || at < 0) return;
    queue.newcomers.splice(at, 1);
    this.#noteLeft(queue);
    if (isEmpty(queue)) this.#turns.delete(shopId);
    waiter.answer(undefined);
  }

  #noteLeft(queue: Queue): void {
    this.#newcomers -= 1;
    this.#leftLastMs = queue.leftLastMs = this.#now();
  }

  #grant(): void {
    for (const shopId of this.#turns) {
      if (this.#used >= this.#options.limit()) return;
      const queue = this.#queues.get(shopId);
      if (!queue || !this.#hasSlotFor(shopId)) continue;
      // The shop's next one comes after those of all others.
      this.#turns.delete(shopId);
      const waiter = queue.insiders.shift() ?? this.#nextNewcomer(shopId, queue);
      if (!isEmpty(queue)) this.#turns.add(shopId);
      // A burst that took long, of which none was refused, has ended.
      else if (queue.refusedLastMs < queue.promptLastMs && this.#isLong(queue))
        this.#queues.delete(shopId);
      waiter?.answer(this.#take(shopId));
    }
  }

  #isLong({ promptLastMs }: Queue): boolean {
    return this.#now() >= promptLastMs + this.#options.burstMs;
  }

  #nextNewcomer(shopId: string, queue: Queue): Waiter | undefined {
    const waiter = queue.newcomers.shift();
    this.#noteLeft(queue);
    if (waiter && this.#now() - waiter.sinceMs <= this.#options.waitMs.overload)
      this.#notePrompt(shopId);
    return waiter;
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

const isEmpty = ({ insiders, newcomers }: Queue): boolean =>
  insiders.length === 0 && newcomers.length === 0;

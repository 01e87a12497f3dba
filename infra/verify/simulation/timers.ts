/** A timer of the simulation, with what Node's have. */
export type Timer = {
  atMs: number;
  /** Of two at one time the one that was set first fires first. */
  order: number;
  /** Undefined once it was cleared. */
  fire: (() => void) | undefined;
  ref(): Timer;
  unref(): Timer;
};

/** Timers by when they fire: a binary heap, because a schedule sets thousands of them. */
export type Timers = {
  set(atMs: number, fire: () => void): Timer;
  /** Puts one that has fired in again. */
  put(timer: Timer, atMs: number): void;
  clear(timer: Timer): void;
  /** Takes the next one out; undefined when none is set. */
  next(): Timer | undefined;
  clearAll(): void;
};

export function createTimers(): Timers {
  let heap: Timer[] = [];
  let count = 0;

  const put = (timer: Timer, atMs: number) => {
    count += 1;
    Object.assign(timer, { atMs, order: count });
    let at = heap.length;
    for (; at > 0; at = (at - 1) >> 1) {
      const parent = heap[(at - 1) >> 1] as Timer;
      if (!before(timer, parent)) break;
      heap[at] = parent;
    }
    heap[at] = timer;
  };
  /** Lets one sink from the top to its place. */
  const sink = (timer: Timer) => {
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const [left, right] = [heap[below] as Timer, heap[below + 1]];
      const child = right && before(right, left) ? right : left;
      if (!before(child, timer)) break;
      heap[at] = child;
      at = child === left ? below : below + 1;
    }
    heap[at] = timer;
  };

  return {
    set: (atMs, fire) => {
      const timer: Timer = { atMs, order: 0, fire, ref: itself, unref: itself };
      put(timer, atMs);
      return timer;
    },
    put,
    // It stays in its place until it is due.
    clear: (timer) => {
      timer.fire = undefined;
    },
    next: () => {
      for (let [first] = heap; first; [first] = heap) {
        const last = heap.pop() as Timer;
        if (heap.length > 0) sink(last);
        if (first.fire) return first;
      }
      return undefined;
    },
    clearAll: () => {
      heap = [];
    },
  };
}

function itself(this: Timer): Timer {
  return this;
}

function before(left: Timer, right: Timer): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}

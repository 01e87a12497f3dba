/** A timer of the simulation, with what Node's have. */
export type Timer = {
  atMs: number;
  /** Undefined once it was cleared. */
  fire: (() => void) | undefined;
  ref(): Timer;
  unref(): Timer;
};

export type Timers = ReturnType<typeof createSimulatedTimers>;

/** Timers by when they fire; of two at one time the one that was set first fires first. */
export function createSimulatedTimers() {
  /** In order, the next one last. */
  let queue: Timer[] = [];

  /** Also puts one that has fired in again. */
  const put = (timer: Timer, atMs: number) => {
    timer.atMs = atMs;
    let [low, high] = [0, queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((queue[middle] as Timer).atMs > atMs) low = middle + 1;
      else high = middle;
    }
    queue.splice(low, 0, timer);
  };

  return {
    set: (atMs: number, fire: () => void) => {
      const timer: Timer = { atMs, fire, ref: itself, unref: itself };
      put(timer, atMs);
      return timer;
    },
    put,
    // It stays in its place until it is due.
    clear: (timer: Timer) => {
      timer.fire = undefined;
    },
    /** Takes the next one out; undefined when none is set. */
    next: () => {
      for (let timer = queue.pop(); timer; timer = queue.pop()) if (timer.fire) return timer;
      return undefined;
    },
    clearAll: () => {
      queue = [];
    },
  };
}

function itself(this: Timer): Timer {
  return this;
}

/**
 * Ends calls that take too long. One timer is enough, because the oldest call is the first to be
 * late.
 */
export type Deadlines = {
  /** `end` is called when the time is over, unless the returned function was called before. */
  begin(end: () => void): () => void;
  /** Ends all open calls at once. */
  endAll(): void;
};

/** @param afterMs the same for all */
export function createDeadlines(afterMs: number): Deadlines {
  // In the order in which they began.
  const open = new Set<{ end: () => void; lateAtMs: number }>();
  let armed = false;

  const arm = (inMs: number) => {
    armed = true;
    setTimeout(check, inMs);
  };
  const check = () => {
    armed = false;
    const now = performance.now();
    for (const entry of open) {
      if (entry.lateAtMs > now) return arm(Math.ceil(entry.lateAtMs - now));
      open.delete(entry);
      entry.end();
    }
  };

  return {
    begin: (end) => {
      const entry = { end, lateAtMs: performance.now() + afterMs };
      open.add(entry);
      if (!armed) arm(afterMs);
      return () => void open.delete(entry);
    },
    endAll: () => {
      for (const entry of open) {
        open.delete(entry);
        entry.end();
      }
    },
  };
}

import { createDropOldest } from '#shared/platform/drop-oldest.ts';

type ExpiringCache<T> = {
  /**
   * The value that is cached under the name or being fetched for another caller; else the result of
   * `find`, which is then cached. `seen`: the name was asked for before.
   */
  get(name: string, find: (seen: boolean) => Promise<T>): Promise<T>;
  put(name: string, value: T): void;
};

/**
 * Caches values by name for `lifetimeMs` from the start of their fetch, so that none is older.
 * Failures are not cached. At most `max`; the oldest makes room.
 */
export function createExpiringCache<T>({
  lifetimeMs,
  max,
  now,
}: {
  lifetimeMs: number;
  max: number;
  /** Monotonic milliseconds. */
  now(): number;
}): ExpiringCache<T> {
  const kept = new Map<string, { value: Promise<T>; untilMs: number }>();
  const dropOldest = createDropOldest(kept);
  const keep = (name: string, value: Promise<T>) => {
    kept.delete(name);
    if (kept.size >= max) dropOldest();
    kept.set(name, { value, untilMs: now() + lifetimeMs });
  };
  return {
    get: (name, find) => {
      const known = kept.get(name);
      if (known && now() < known.untilMs) return known.value;
      const value = find(known !== undefined);
      keep(name, value);
      value.catch(() => {
        if (kept.get(name)?.value === value) kept.delete(name);
      });
      return value;
    },
    put: (name, value) => keep(name, Promise.resolve(value)),
  };
}

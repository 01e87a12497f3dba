import { LRUCache } from 'lru-cache';

type ExpiringCache<T> = {
  /**
   * The cached value, or the one being fetched for another caller; else the result of `find`, which
   * is then cached. `wasCached`: a value of this name has expired.
   */
  get(name: string, find: (wasCached: boolean) => Promise<T>): Promise<T>;
  put(name: string, value: T): void;
};

/**
 * Caches values by name for `lifetimeMs` from the start of their fetch, so that none is older.
 * Failures are not cached. Beyond `max` values the least recently used is evicted.
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
  const entries = new LRUCache<string, { value: Promise<T>; untilMs: number }>({ max });
  const store = (name: string, value: Promise<T>) =>
    entries.set(name, { value, untilMs: now() + lifetimeMs });
  return {
    get: (name, find) => {
      const cached = entries.get(name);
      if (cached && now() < cached.untilMs) return cached.value;
      const value = find(cached !== undefined);
      store(name, value);
      value.catch(() => {
        if (entries.get(name)?.value === value) entries.delete(name);
      });
      return value;
    },
    put: (name, value) => {
      store(name, Promise.resolve(value));
    },
  };
}

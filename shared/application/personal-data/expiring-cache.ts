import { createDropOldest } from '#shared/platform/drop-oldest.ts';

export type ExpiringCache<T> = {
  /**
   * What is kept under the name, or is being found for somebody else; else what `find` brings, which is kept. `seen`:
   * the name is known from before.
   */
  get(name: string, find: (seen: boolean) => Promise<T>): Promise<T>;
  put(name: string, value: T): void;
};

/**
 * Values by name for `lifetimeMs` from when they began to be looked for, so that none is older than that. What fails is
 * not kept. At most `max`: the one that was found first makes room.
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

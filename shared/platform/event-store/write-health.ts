import type { EventStore } from './types.ts';

type WriteHealth = {
  /** The store, whose appends are watched. */
  store: EventStore;
  /**
   * Whether appends come to nothing: one whose outcome could not be established in the last
   * `memoryMs`, and none since that was. A store may answer reads all the while, when its disk is
   * full.
   */
  failing(): boolean;
};

/** After it callers may try again: only an append shows whether the store is back. */
const defaultMemoryMs = 5_000;

/**
 * Watches what becomes of appends, for a service's readiness. `now`: milliseconds of a clock that
 * never goes back.
 */
export function watchAppends(
  store: EventStore,
  { memoryMs = defaultMemoryMs, now = () => performance.now() } = {},
): WriteHealth {
  let failedAt = Number.NEGATIVE_INFINITY;
  return {
    store: {
      ...store,
      append: async (request) => {
        const result = await store.append(request);
        failedAt = result.outcome === 'unknown' ? now() : Number.NEGATIVE_INFINITY;
        return result;
      },
    },
    failing: () => now() - failedAt < memoryMs,
  };
}

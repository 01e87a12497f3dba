import type { EventStore } from './types.ts';

type WriteHealth = {
  /** The store; its appends are watched. */
  store: EventStore;
  /**
   * Whether appends fail: in the last `memoryMs` one had an unknown outcome, and none has succeeded
   * since. A store with a full disk fails appends but still answers reads.
   */
  failing(): boolean;
};

/** After this time appends are tried again: only an append shows whether the store is back. */
const defaultMemoryMs = 5_000;

/** Watches the outcomes of appends, for a service's readiness. `now`: monotonic milliseconds. */
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

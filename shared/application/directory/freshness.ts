/**
 * Keeps what is read of a stream no older than its readers accept: `look` reads on to the stream's end, and all who
 * wait at one time share a look that began after they came.
 */
export function createFreshness(look: () => Promise<void>) {
  /** When the newest successful look began: what it saw is at least as new as that. */
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const lookNow = async () => {
    const startedAt = performance.now();
    await look();
    confirmedAt = startedAt;
  };

  return {
    /** Resolves once all is known that stood at `sinceMs` (of `performance.now()`). @throws what `look` throws */
    confirm: async (sinceMs: number): Promise<void> => {
      // The look under way may have begun too early: at most one more is needed.
      for (let round = 0; round < 2 && confirmedAt < sinceMs; round += 1) {
        looking ??= lookNow().finally(() => {
          looking = undefined;
        });
        await looking;
      }
    },
  };
}

/**
 * Limits the age of a stream's cached state to what its readers accept. `read` reads to the stream's
 * end; all waiting readers share one read that began after they called.
 */
export function createFreshness(read: () => Promise<void>) {
  /** The start of the newest successful read: its result is at least as new as that. */
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const readNow = async () => {
    const startedAt = performance.now();
    await read();
    confirmedAt = startedAt;
  };

  return {
    isConfirmed: (sinceMs: number): boolean => confirmedAt >= sinceMs,
    /**
     * Resolves once everything written before `sinceMs` (of `performance.now()`) is known. @throws
     * what `read` throws
     */
    confirm: async (sinceMs: number): Promise<void> => {
      // The read in progress may have begun too early: at most one more is needed.
      for (let round = 0; round < 2 && confirmedAt < sinceMs; round += 1) {
        reading ??= readNow().finally(() => {
          reading = undefined;
        });
        await reading;
      }
    },
  };
}

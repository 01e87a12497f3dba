export type Waiters = ReturnType<typeof createWaiters>;

/** Callers that wait for a delayed answer; lost with the process, like their connections. */
export function createWaiters() {
  const waiting = new Map<string, Set<(how: 'woken' | 'gone') => void>>();
  const end = (key: string, how: 'woken' | 'gone') => {
    for (const resolve of waiting.get(key) ?? []) resolve(how);
  };
  return {
    /** Resolves with `woken`, or with `gone` once the caller has left or the service stops. */
    wait: async (key: string, caller: AbortSignal): Promise<'woken' | 'gone'> => {
      if (caller.aborted) return 'gone';
      const done = Promise.withResolvers<'woken' | 'gone'>();
      const leave = () => done.resolve('gone');
      const callers = waiting.get(key) ?? new Set();
      waiting.set(key, callers.add(done.resolve));
      caller.addEventListener('abort', leave, { once: true });
      try {
        return await done.promise;
      } finally {
        caller.removeEventListener('abort', leave);
        callers.delete(done.resolve);
        if (callers.size === 0) waiting.delete(key);
      }
    },
    wake: (key: string) => end(key, 'woken'),
    /** How many callers wait for the key. */
    count: (key: string) => waiting.get(key)?.size ?? 0,
    stop: () => {
      for (const key of waiting.keys()) end(key, 'gone');
    },
  };
}

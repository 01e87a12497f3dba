export type Waiters = {
  /** Resolves with `woken`, or with `gone` once the caller has left or the service stops. */
  wait(key: string, caller: AbortSignal): Promise<'woken' | 'gone'>;
  wake(key: string): void;
  /** How many callers wait for the key. */
  count(key: string): number;
  stop(): void;
};

/** Callers that wait for a delayed answer; lost with the process, like their connections. */
export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<(how: 'woken' | 'gone') => void>>();
  const end = (key: string, how: 'woken' | 'gone') => {
    for (const resolve of waiting.get(key) ?? []) resolve(how);
  };
  return {
    wait: async (key, caller) => {
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
    wake: (key) => end(key, 'woken'),
    count: (key) => waiting.get(key)?.size ?? 0,
    stop: () => {
      for (const key of waiting.keys()) end(key, 'gone');
    },
  };
}

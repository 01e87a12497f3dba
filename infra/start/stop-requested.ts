const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves with the reason when the stack is asked to stop: by a signal, or because the npm process
 * that started it has ended.
 */
export function stopRequested({ onSecond }: { onSecond: () => void }): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let requested = false;
  for (const signal of signals) {
    process.on(signal, () => {
      // Ctrl-C reaches npm and this process, and npm passes it on: two within 500 ms count as one.
      if (requested && signal === 'SIGINT' && performance.now() - requestedAtMs > 500) onSecond();
      if (!requested) requestedAtMs = performance.now();
      requested = true;
      resolve(signal);
    });
  }
  let requestedAtMs = 0;
  if (process.env['npm_lifecycle_event'] !== undefined) {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve('npm has ended');
    }, 1000).unref();
  }
  return promise;
}

import { statSync } from 'node:fs';
import { createServer } from 'node:net';

export type Lock = { readonly release: () => Promise<void> };

/**
 * Takes DATA_DIR for this process. The lock is a name that the kernel holds for a living process
 * and drops with it, so that no stale file can be left, and no two starts can both find it free.
 * @returns undefined when another process has it
 */
export async function acquireLock(dataDir: string): Promise<Lock | undefined> {
  const { dev, ino } = statSync(dataDir);
  const server = createServer((socket) => socket.destroy());
  server.unref();
  const free = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen({ path: `\0payment-gateway-${dev}-${ino}` }, () => resolve(true));
  });
  if (!free) return undefined;
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Whether a server could listen on the port now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * A free port between 20000 and 29999: below the range that the kernel gives to outgoing connections, so
 * that a port that is remembered for the next start is not taken by one of those meanwhile.
 * @throws when 100 tries found none.
 */
export async function findFreePort(taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(20_000, 30_000);
    if (!taken.has(port) && (await isPortFree(port))) return port;
  }
  throw new Error('no free port between 20000 and 29999 was found');
}

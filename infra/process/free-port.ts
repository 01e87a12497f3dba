import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Listens on the port for a moment. @returns the code of the error if that is not possible */
export function tryListen(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether a server could listen on the port now. */
export const isPortFree = async (port: number): Promise<boolean> =>
  (await tryListen(port)) === undefined;

/** By port: names that this process listens on, so that no other process picks the same ports. */
const claims = new Map<number, Server>();

/**
 * Takes a port for as long as this process lives, against all that call this: else two stacks that
 * start side by side could both find a port free before either listens on it, or one could take the
 * port of a store that the other has stopped and is about to start again. A name in Linux' abstract
 * namespace leaves nothing behind, however the process ends; elsewhere there is no such namespace,
 * and nothing is claimed.
 */
function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ path: `\0gateway-port-${port}` }, () => {
      claims.set(port, server.unref());
      resolve(true);
    });
  });
}

/**
 * Claims a port that was used before. @returns whether a server could listen on it, and no other
 * caller gets it while this process lives
 */
export const reclaimPort = async (port: number): Promise<boolean> =>
  (claims.has(port) || (await claim(port))) && (await isPortFree(port));

/**
 * A free port of a range, by default from 20000 to 29999: below the range that the kernel gives to
 * outgoing connections, so that a port that is remembered for the next start is not taken by one of
 * those meanwhile. No other caller gets it while this process lives.
 * @throws when 100 tries found none.
 */
export async function findFreePort(
  excluded: ReadonlySet<number> = new Set(),
  [first, last]: readonly [number, number] = [20_000, 29_999],
): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(first, last + 1);
    if (!excluded.has(port) && !claims.has(port) && (await reclaimPort(port))) return port;
  }
  throw new Error(`no free port between ${first} and ${last} was found`);
}

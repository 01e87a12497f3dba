import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../process/find-program.ts';

/** Where the fetched package of this machine's architecture is unpacked. */
export const cacheFolder = fileURLToPath(
  new URL(`../../.cache/nats-server-${process.arch}`, import.meta.url),
);

/** The path of a nats-server: the system's, else the one that the installation has fetched. */
export function findNatsServer(): string | undefined {
  const fetched = `${cacheFolder}/usr/sbin/nats-server`;
  return findProgram('nats-server') ?? (existsSync(fetched) ? fetched : undefined);
}

/** What to do if there is none. */
export const howToGetIt =
  'install it (Debian and Ubuntu: apt install nats-server; others: https://nats.io/download), run npm run fetch:nats, or set NATS_URL';

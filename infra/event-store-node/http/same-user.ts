import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

type Ends = { readonly client: number; readonly server: number };

// The kernel's table of connections; the second one has those of sockets for both versions of IP.
// It is missing where the kernel has no IPv6.
const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/** Whether this system has the table that tells whose a connection is. */
export const listsSocketUsers = (): boolean => existsSync(tables[0]);

const loopback = /^(?:0000000000000000FFFF0000)?0100007F$/;
const established = '01';

/**
 * Reads from a kernel's table who has the client's end of a connection over 127.0.0.1. A client
 * that has closed it already has no owner there.
 */
export function ownerIn(table: string, { client, server }: Ends): number | undefined {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', remote = '', state, , , , uid] = line.trim().split(/\s+/);
    const [from = '', fromPort] = local.split(':');
    const [to = '', toPort] = remote.split(':');
    if (fromPort !== hex(client) || toPort !== hex(server) || state !== established) continue;
    if (loopback.test(from) && loopback.test(to)) return Number(uid);
  }
  return undefined;
}

/**
 * Whether a connection is of the user that this process runs as, or of root. Never throws: a table
 * that can't be read has no user.
 */
export function isSameUser(
  { remotePort = 0, localPort = 0 }: Pick<Socket, 'remotePort' | 'localPort'>,
  paths: readonly string[] = tables,
): boolean {
  const ends = { client: remotePort, server: localPort };
  // The kernel walks all its connections for each table, in milliseconds: mostly one is enough.
  return paths.some((path) => {
    const uid = ownerIn(readTable(path), ends);
    return uid === 0 || (uid !== undefined && uid === process.getuid?.());
  });
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

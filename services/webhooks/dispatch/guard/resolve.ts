import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

export type Address = { address: string; family: 4 | 6 };

/**
 * The addresses of a name. @throws an Error with a code (ENOTFOUND, ETIMEOUT, …) when there is none
 */
export type Resolve = (hostname: string) => Promise<Address[]>;

const dnsTryMs = 2_000;
const dnsTries = 2;

/**
 * Resolves names without `getaddrinfo`, whose few threads the whole process shares: an endpoint
 * whose name server hangs must not delay the others. `getaddrinfo` is used only (for /etc/hosts and
 * search domains) if DNS has answered that there is no such name, or if there is no DNS server.
 * @param servers DNS servers (`address:port`) to use instead of the system's
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: dnsTryMs, tries: dnsTries });
  if (servers) resolver.setServers(servers);
  const missing = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME']);

  return async (hostname) => {
    const family = isIP(hostname);
    if (family === 4 || family === 6) return [{ address: hostname, family }];
    // RFC 6761: this name is never looked up with DNS.
    if (/(^|\.)localhost\.?$/i.test(hostname)) {
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    }
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ] as const);
    const addresses: Address[] = [
      ...(ipv4.status === 'fulfilled' ? ipv4.value : []).map((address) => ({
        address,
        family: 4 as const,
      })),
      ...(ipv6.status === 'fulfilled' ? ipv6.value : []).map((address) => ({
        address,
        family: 6 as const,
      })),
    ];
    if (addresses.length > 0) return addresses;
    const error: unknown = ipv4.status === 'rejected' ? ipv4.reason : undefined;
    if (!missing.has((error as NodeJS.ErrnoException | undefined)?.code ?? '')) throw error;
    return (await lookup(hostname, { all: true })).map(({ address, family: kind }) => ({
      address,
      family: kind === 6 ? 6 : 4,
    }));
  };
}

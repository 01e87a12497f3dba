import { createHttpClient, type HttpClient } from '#shared/platform/http-client/client.ts';
import { createGuard, type DestinationGuardOptions } from '../guard/guard.ts';

/**
 * Connections to endpoints, kept open between attempts: one client for each origin, and a limited
 * number of clients.
 */
export type Pools = {
  /** Returns the origin's client for one request, until it is released. */
  lend(origin: string): { client: HttpClient; release: () => void };
  /** Closes every connection at once. */
  close(): Promise<void>;
};

const maxPools = 512;

export function createPools(options: DestinationGuardOptions): Pools {
  const guard = createGuard(options);
  // In the order of their last use.
  const pools = new Map<string, { client: HttpClient; inUse: number }>();

  const evict = () => {
    for (const [origin, { client, inUse }] of pools) {
      if (pools.size < maxPools) return;
      if (inUse > 0) continue;
      pools.delete(origin);
      void client.close();
    }
  };

  return {
    lend: (origin) => {
      const existing = pools.get(origin);
      if (!existing) evict();
      // As many connections as there are requests: shops that share a host never wait for each
      // other.
      const entry = existing ?? {
        client: createHttpClient(origin, { maxConnections: Infinity, guard }),
        inUse: 0,
      };
      pools.delete(origin);
      pools.set(origin, entry);
      entry.inUse += 1;
      return {
        client: entry.client,
        release: () => {
          entry.inUse -= 1;
        },
      };
    },
    close: async () => {
      await Promise.all([...pools.values()].map(({ client }) => client.close()));
      pools.clear();
    },
  };
}

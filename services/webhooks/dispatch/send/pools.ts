import { Pool } from 'undici';
import { guardedConnector, type GuardOptions } from '../guard/guard.ts';

/**
 * Connections to endpoints, kept open between attempts: one pool for each origin, and a limited
 * number of pools.
 */
export type Pools = {
  /** Returns the origin's pool for one request, until it is released. */
  lend(origin: string): { pool: Pool; release: () => void };
  /** Closes every connection at once. */
  close(): Promise<void>;
};

const maxPools = 512;
/** The answer's time as a whole is bounded by the caller. */
const noTimeout = 0;
const maxHeaderBytes = 16 * 1024;

export function createPools(options: GuardOptions): Pools {
  const connect = guardedConnector(options);
  // In the order of their last use.
  const pools = new Map<string, { pool: Pool; inUse: number }>();

  const evict = () => {
    for (const [origin, { pool, inUse }] of pools) {
      if (pools.size < maxPools) return;
      if (inUse > 0) continue;
      pools.delete(origin);
      void pool.destroy();
    }
  };

  return {
    lend: (origin) => {
      const found = pools.get(origin);
      if (!found) evict();
      // As many connections as there are requests: shops that share a host never wait for each
      // other.
      const entry = found ?? {
        pool: new Pool(origin, {
          connect,
          connections: null,
          pipelining: 1,
          headersTimeout: noTimeout,
          bodyTimeout: noTimeout,
          maxHeaderSize: maxHeaderBytes,
        }),
        inUse: 0,
      };
      pools.delete(origin);
      pools.set(origin, entry);
      entry.inUse += 1;
      return {
        pool: entry.pool,
        release: () => {
          entry.inUse -= 1;
        },
      };
    },
    close: async () => {
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()));
      pools.clear();
    },
  };
}

import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** A whole gateway, for some of the shops. */
export type Shard = {
  /** Part of the URL of its providers' callbacks. */
  readonly name: string;
  /** Where its merchant API, its payment page and its processor listen. */
  readonly api: string;
  readonly pay: string;
  readonly callbacks: string;
};

/** A GET whose status shows whether a shard is the owner of a key or an operation. */
export type Probe = {
  /** The name of the key or the operation in the cache. */
  readonly name: string;
  readonly server: 'api' | 'pay';
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The statuses of shards that are not the owner. */
  readonly others: readonly number[];
};
type Owner = Shard | 'none' | 'unknown';

const cachedOwners = 100_000;
/** A shop may move to another shard. */
const ownerForMs = 600_000;
/** Each key that no shard has is a request to all of them: not more often than this. */
const noneForMs = 10_000;
const answerWithinMs = 5_000;
/** Only the owner of a key or an operation answers anything but these. */
export const ofOthers = [401, 404];
/** A link to a receipt is signed with the secret of its shard. */
export const ofOthersReceipts = [...ofOthers, 403];

class NotTheOwner extends Error {}

/** Finds the owners of keys and operations, and caches them. */
export function createOwners(
  shards: readonly Shard[],
  { now = () => performance.now() }: { now?: () => number },
) {
  const owners = new LRUCache<string, Shard | 'none'>({
    max: cachedOwners,
    ttl: ownerForMs,
    ttlResolution: 0,
    perf: { now },
  });

  async function find({ name, server, others, ...probe }: Probe): Promise<Owner> {
    const cached = owners.get(name);
    if (cached) return cached;
    const probes = shards.map(async (shard) => {
      const response = await requestShard(shard[server], probe);
      const { statusCode: status = 503 } = response.resume();
      if (others.includes(status)) throw new NotTheOwner();
      // A rate limit does not show which shard is the owner.
      if (status === 429 || status >= 500) throw new Error(`${shard.name} answered ${status}`);
      return shard;
    });
    const owner = await Promise.any(probes).catch(({ errors }: AggregateError): Owner => {
      return errors.every((error) => error instanceof NotTheOwner) ? 'none' : 'unknown';
    });
    // Not of a receipt: a wrong link must not hide the right one.
    if (owner === 'none' && others !== ofOthersReceipts)
      owners.set(name, owner, { ttl: noneForMs });
    else if (typeof owner === 'object') owners.set(name, owner);
    return owner;
  }

  return { find, forget: ({ name }: Probe) => void owners.delete(name) };
}

/** @throws if the shard does not answer in time; its body has to be read, or is dropped */
export async function requestShard(
  base: string,
  options: { path: string; headers: IncomingHttpHeaders },
): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(answerWithinMs);
  return new Promise((resolve, reject) => {
    request(base, { ...options, signal }, resolve)
      .on('error', reject)
      .end();
  });
}

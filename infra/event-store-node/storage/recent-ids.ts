import type { EventAddress } from '../streams/append-decision.ts';

/** Ids of the newest events, so that an append without a revision can be recognised as a retry. */
export type RecentIds = {
  readonly find: (streamId: number, id: Uint8Array) => EventAddress | undefined;
  readonly add: (streamId: number, id: Uint8Array, address: EventAddress) => void;
  readonly clear: () => void;
};

const ID_BYTES = 16;

/**
 * Holds the newest `limit` ids, a power of two. An id written again belongs to its newest event.
 *
 * Every event adds one, and all of them outlive the young generation of the garbage collector: as
 * objects they caused most of the node's pauses. So they are numbers in typed arrays, which the
 * collector does not search: a ring of entries, and for each hash the newest entry with it, which
 * refers to the one before.
 */
export function createRecentIds(limit: number): RecentIds {
  if (!Number.isInteger(Math.log2(limit))) throw new RangeError(`${limit} is not a power of two`);
  const findSlot = (entry: number) => entry % limit;
  const ids = Buffer.alloc(limit * ID_BYTES);
  const streamIds = new Float64Array(limit);
  const revisions = new Float64Array(limit);
  const positions = new Float64Array(limit);
  /** Entries are numbered from 1; 0 means no entry. */
  const newest = new Float64Array(limit);
  const previous = new Float64Array(limit);
  let count = 0;

  const findBucket = (id: Uint8Array): number => hashId(id) & (limit - 1);

  return {
    find(streamId, id) {
      const oldest = count - limit;
      for (let entry = newest[findBucket(id)] ?? 0; entry > 0 && entry > oldest;) {
        const slot = findSlot(entry);
        const at = slot * ID_BYTES;
        if (ids.compare(id, 0, ID_BYTES, at, at + ID_BYTES) === 0) {
          if (streamIds[slot] !== streamId) return undefined;
          return { revision: revisions[slot] ?? 0, position: positions[slot] ?? 0 };
        }
        entry = previous[slot] ?? 0;
      }
      return undefined;
    },
    add(streamId, id, { revision, position }) {
      count += 1;
      const slot = findSlot(count);
      const bucket = findBucket(id);
      ids.set(id, slot * ID_BYTES);
      streamIds[slot] = streamId;
      revisions[slot] = revision;
      positions[slot] = position;
      previous[slot] = newest[bucket] ?? 0;
      newest[bucket] = count;
    },
    clear() {
      newest.fill(0);
      count = 0;
    },
  };
}

/** Hashes all bytes, because ids need not be random in each. */
function hashId(id: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < ID_BYTES; index += 1)
    hash = Math.imul(hash ^ (id[index] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

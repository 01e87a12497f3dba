import type { EventAddress } from '../streams/append-decision.ts';
import { createGenerationalMap } from './generational-map.ts';

/** Ids of the newest events, so that an append without a revision can be known as a retry. */
export type RecentIds = {
  readonly find: (streamId: number, id: Uint8Array) => EventAddress | undefined;
  readonly add: (streamId: number, id: Uint8Array, address: EventAddress) => void;
  readonly clear: () => void;
};

type Entry = { readonly streamId: number; readonly address: EventAddress };

/** Holds at least the newest `limit` ids and at most twice as many. An id written again belongs to its newest event. */
export function createRecentIds(limit: number): RecentIds {
  const entries = createGenerationalMap<string, Entry>(limit);
  return {
    find(streamId, id) {
      const entry = entries.get(keyOf(id));
      return entry?.streamId === streamId ? entry.address : undefined;
    },
    add: (streamId, id, address) => entries.set(keyOf(id), { streamId, address }),
    clear: () => entries.clear(),
  };
}

function keyOf(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.length).toString('latin1');
}

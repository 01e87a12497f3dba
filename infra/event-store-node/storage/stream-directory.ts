import { LRUCache } from 'lru-cache';
import { readRecordContent } from '../protocol/recorded-event.ts';
import {
  METASTREAM_METADATA,
  NO_METADATA,
  isMetastream,
  metastreamName,
  originalStreamName,
  parseStreamMetadata,
} from '../streams/stream-metadata.ts';
import type { StreamMetadata } from '../streams/stream-metadata.ts';
import type { EventLog } from './event-log.ts';
import { NODE_STREAM_ID, TOMBSTONE_REVISION } from './stored-event.ts';

/** What the node knows about one stream. */
export type StreamState = {
  readonly name: string;
  /** `NODE_STREAM_ID` while the stream isn't in the database. */
  id: number;
  /** Revision of the newest event, -1 without one; the tombstone doesn't count. */
  head: number;
  tombstoned: boolean;
  /** Filled in on first use and dropped when the metastream is written to. */
  metadata: StreamMetadata | undefined;
};

// Hidden in $all, as on the real server: the node's own records.
const HIDDEN = /^\$epoch-information$|^\$persistentsubscription-\$all::.*-(?:checkpoint|parked)$/s;

/** Finds and creates streams. Caches the state of `limit` of them. */
export class StreamDirectory {
  readonly #log: EventLog;
  readonly #cache: LRUCache<string, StreamState>;
  #smallestId: number;
  #largestId: number;

  constructor(log: EventLog, limit: number) {
    this.#log = log;
    this.#cache = new LRUCache({ max: limit });
    [this.#smallestId, this.#largestId] = idsInUse(log);
  }

  get(name: string): StreamState {
    let state = this.#cache.get(name);
    if (state === undefined) {
      state = this.#load(name);
      this.#cache.set(name, state);
    }
    return state;
  }

  metadataOf(state: StreamState): StreamMetadata {
    if (isMetastream(state.name)) return METASTREAM_METADATA;
    state.metadata ??= this.#loadMetadata(state.name);
    return state.metadata;
  }

  /** The data of a stream's newest event; undefined when there is none or it isn't JSON. */
  newestJsonOf(name: string): Buffer | undefined {
    const { id, head } = this.get(name);
    const newest = head < 0 ? undefined : this.#log.streamBackwards(id, head, 1)[0];
    const content = newest === undefined ? undefined : readRecordContent(newest.record);
    return content?.contentType === 'application/json' ? content.data : undefined;
  }

  /** Whether its metastream has an event; a metastream has none of its own. */
  hasMetadata(state: StreamState): boolean {
    return !isMetastream(state.name) && this.get(metastreamName(state.name)).head >= 0;
  }

  /** A metastream is deleted with its stream. */
  isTombstoned(state: StreamState): boolean {
    return (
      state.tombstoned ||
      (isMetastream(state.name) && this.get(originalStreamName(state.name)).tombstoned)
    );
  }

  /** Gives the stream an id in the database, if it has none. Call inside a transaction. */
  ensureStored(state: StreamState): void {
    if (state.id !== NODE_STREAM_ID) return;
    if (HIDDEN.test(state.name)) {
      this.#smallestId -= 1;
      state.id = this.#smallestId;
    } else {
      this.#largestId += 1;
      state.id = this.#largestId;
    }
    this.#log.insertStream(state.name, state.id);
  }

  /** Call after writing to a metastream. */
  metadataChanged(metastream: string): void {
    this.get(originalStreamName(metastream)).metadata = undefined;
  }

  /** Forgets everything, after a rolled back transaction. */
  reset(): void {
    this.#cache.clear();
    [this.#smallestId, this.#largestId] = idsInUse(this.#log);
  }

  #load(name: string): StreamState {
    const row = this.#log.findStream(name);
    if (row === undefined) {
      return { name, id: NODE_STREAM_ID, head: -1, tombstoned: false, metadata: undefined };
    }
    const newest = this.#log.headOf(row.id);
    const head =
      newest === TOMBSTONE_REVISION
        ? (this.#log.streamBackwards(row.id, newest - 1, 1)[0]?.revision ?? -1)
        : newest;
    return { name, id: row.id, head, tombstoned: row.tombstoned, metadata: undefined };
  }

  /**
   * Few streams have metadata, so a metastream that is not stored is not cached in memory either.
   */
  #loadMetadata(name: string): StreamMetadata {
    const metastream = metastreamName(name);
    if (this.#log.findStream(metastream) === undefined) return NO_METADATA;
    const data = this.newestJsonOf(metastream);
    return data === undefined ? NO_METADATA : parseStreamMetadata(data);
  }
}

function idsInUse(log: EventLog): [number, number] {
  const [smallest, largest] = log.streamIdRange();
  return [Math.min(smallest, NODE_STREAM_ID), Math.max(largest, NODE_STREAM_ID)];
}

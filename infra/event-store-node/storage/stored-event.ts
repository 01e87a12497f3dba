/**
 * An event as the log holds it. `record` is the protocol's RecordedEvent but for its id, encoded
 * once when the event is written: a read copies it instead of building it again.
 */
export type StoredEvent = {
  readonly position: number;
  readonly streamId: number;
  /** The tombstone's revision is `TOMBSTONE_REVISION`. */
  readonly revision: number;
  readonly id: Uint8Array;
  readonly type: string;
  readonly createdMs: number;
  readonly record: Uint8Array;
};

/** Stands for the protocol's 9223372036854775807 inside the process and in the database. */
export const TOMBSTONE_REVISION = Number.MAX_SAFE_INTEGER;

/** Streams with an id of zero or less are left out of $all: the node's own records. */
export const NODE_STREAM_ID = 0;

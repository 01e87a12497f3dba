/**
 * An event in the log. `record` is the protocol's RecordedEvent without its id, encoded once, when
 * the event is written. A read copies it instead of encoding it again.
 */
export type RecordedEvent = {
  readonly position: number;
  readonly streamId: number;
  /** The tombstone's revision is `TOMBSTONE_REVISION`. */
  readonly revision: number;
  readonly id: Uint8Array;
  readonly type: string;
  readonly createdMs: number;
  readonly record: Uint8Array;
};

/** Used for the protocol's 9223372036854775807 in the process and in the database. */
export const TOMBSTONE_REVISION = Number.MAX_SAFE_INTEGER;

/** Streams with an id of zero or less are left out of $all: the node's own records. */
export const NODE_STREAM_ID = 0;

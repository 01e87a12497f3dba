import type { ExpectedRevision } from './expected-revision.ts';

/** The place of an event: its revision in the stream, and its position in the log. */
export type EventAddress = { readonly revision: number; readonly position: number };

/** The facts about a stream that the decision needs. */
export type StreamFacts = {
  /** Revision of the newest event, -1 when there is none. */
  readonly head: number;
  readonly tombstoned: boolean;
  readonly softDeleted: boolean;
  /**
   * True when the metastream has an event: such a stream "exists", even without an event of its
   * own.
   */
  readonly hasMetadata: () => boolean;
  /** Finds a recently written event of this stream by its id. */
  readonly recent: (id: Uint8Array) => EventAddress | undefined;
  /** The id and position of the event at a revision. */
  readonly eventAt: (
    revision: number,
  ) => { readonly id: Uint8Array; readonly position: number } | undefined;
};

type AppendDecision =
  | { readonly kind: 'write' }
  | { readonly kind: 'idempotent'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong_expected_version'; readonly actual: number }
  | { readonly kind: 'deleted' };

/**
 * Whether an append may be written, is a retry of one that was, or must be refused. Only event ids
 * are compared, never content: the same ids at the same place are a retry; if only some are the
 * same, it is a wrong expected version.
 */
export function decideAppend(
  stream: StreamFacts,
  expected: ExpectedRevision,
  ids: readonly Uint8Array[],
): AppendDecision {
  if (stream.tombstoned) return { kind: 'deleted' };
  switch (expected.kind) {
    case 'any':
      return decideByRecentIds(stream, ids);
    case 'stream_exists':
      if (stream.softDeleted) return { kind: 'deleted' };
      if (stream.head < 0 && !stream.hasMetadata()) return wrong(stream);
      return decideByRecentIds(stream, ids);
    case 'no_stream':
      return decideAtRevision(stream, -1, ids);
    case 'exact':
      return expected.revision > BigInt(stream.head)
        ? wrong(stream)
        : decideAtRevision(stream, Number(expected.revision), ids);
  }
}

function wrong(stream: StreamFacts): AppendDecision {
  return { kind: 'wrong_expected_version', actual: stream.head };
}

function decideByRecentIds(stream: StreamFacts, ids: readonly Uint8Array[]): AppendDecision {
  let last: EventAddress | undefined;
  for (const id of ids) {
    const stored = stream.recent(id);
    // The first id decides: if it is unknown, the append is new. If the first id is known and a
    // later one is not, the append is refused.
    if (stored === undefined) return last === undefined ? { kind: 'write' } : wrong(stream);
    last = stored;
  }
  if (last === undefined) return { kind: 'write' };
  return { kind: 'idempotent', revision: last.revision, position: last.position };
}

function decideAtRevision(
  stream: StreamFacts,
  expected: number,
  ids: readonly Uint8Array[],
): AppendDecision {
  if (expected === stream.head) return { kind: 'write' };
  if (ids.length === 0) return wrong(stream);
  let revision = expected;
  let position = 0;
  for (const id of ids) {
    revision += 1;
    const stored = stream.eventAt(revision);
    if (stored === undefined || !sameBytes(stored.id, id)) {
      const begins = revision === expected + 1;
      return begins && expected === -1 && stream.softDeleted ? { kind: 'write' } : wrong(stream);
    }
    position = stored.position;
  }
  return { kind: 'idempotent', revision, position };
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

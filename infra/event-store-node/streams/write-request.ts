import type { ProposedEvent, RecordedPlace } from '../protocol/append-messages.ts';
import type { ExpectedRevision } from './expected-revision.ts';

/**
 * Largest sum of the data bytes of one append, as on the real server: metadata and types don't
 * count.
 */
export const MAX_APPEND_BYTES = 1_048_576;

/** How long a write may wait for its turn. */
export const WRITE_TIMEOUT_MS = 2000;

export type AppendWrite = {
  readonly kind: 'append';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Already checked with `findEventFault`. */
  readonly events: readonly ProposedEvent[];
};

export type DeleteRequest = {
  readonly kind: 'soft' | 'tombstone';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** When and where another log has it, of a copy. */
  readonly recorded?: RecordedPlace;
};

export type WriteRequest = AppendWrite | DeleteRequest;

/** `actual` is -1 for a stream without events. */
export type WrongRevision = {
  readonly kind: 'wrong_expected_version';
  readonly expected: ExpectedRevision;
  readonly actual: number;
};

export type FailedWrite =
  | { readonly kind: 'deleted'; readonly stream: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly message: string };

export type WriteResult =
  | { readonly kind: 'done'; readonly revision: number; readonly position: number }
  | WrongRevision
  | FailedWrite;

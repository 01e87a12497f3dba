import { decideAppend } from './append-decision.ts';
import type { StreamFacts } from './append-decision.ts';
import type { ExpectedRevision } from './expected-revision.ts';

type DeleteDecision =
  | { readonly kind: 'write' }
  | { readonly kind: 'wrong_expected_version'; readonly actual: number }
  | { readonly kind: 'deleted' };

// A delete has no event id, so it uses one that never matches.
const ID_OF_A_DELETE = Buffer.alloc(16);

/**
 * Whether a stream may be deleted. A soft delete needs events or metadata: for a stream that never
 * had either, it is always a wrong expected version. A tombstone may be set on such a stream.
 */
export function decideDelete(
  stream: StreamFacts,
  expected: ExpectedRevision,
  mode: 'soft' | 'tombstone',
): DeleteDecision {
  const decision = decideAppend(stream, expected, [ID_OF_A_DELETE]);
  if (decision.kind === 'idempotent')
    return { kind: 'wrong_expected_version', actual: stream.head };
  if (decision.kind === 'write' && mode === 'soft' && stream.head < 0 && !stream.hasMetadata()) {
    return { kind: 'wrong_expected_version', actual: -1 };
  }
  return decision;
}

import type { Operation } from '../state.ts';
import { isSameBody, type RequestBodyHash } from './body-hash.ts';

/**
 * `already_admitted`: the same create again. `idempotency_body_mismatch`: its key, with another
 * body. `limit_unknown`: nothing is decided, because the daily use of a route is not known now.
 */
export type CreateRefusal =
  | { code: 'idempotency_body_mismatch' }
  | { code: 'already_admitted' }
  | { code: 'limit_unknown' };

/**
 * A create whose key is in use. The same kind and the same body are a repeat, answered with the
 * operation as it is (R4.1). Anything else is a conflict (R4.2).
 */
export function repeatOrConflict(
  state: Operation,
  create: { type: Operation['type']; body: RequestBodyHash },
): CreateRefusal {
  const same = state.type === create.type && isSameBody(state.bodyHash, create.body);
  return { code: same ? 'already_admitted' : 'idempotency_body_mismatch' };
}

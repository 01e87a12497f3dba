import { z } from 'zod';
import type { OperationType } from '../../operation-type.ts';

/**
 * Hash of a body's personal fields, made with the client's own key: without that key the fields
 * can't be found by trying values.
 */
const personalHashSchema = z.object({ key_id: z.string(), hmac: z.string() });

/**
 * The stored hashes of a create's body that recognise a repeat (R4.2). `rest` is the plain hash of
 * the fields that are not personal. `whole` is the plain hash of all fields: events before version
 * 3 have it, and it is read but no longer written.
 */
export const bodyHashSchema = z.union([
  z.object({ rest: z.string(), personal: personalHashSchema.optional() }),
  z.object({ whole: z.string() }),
]);
export type BodyHash = z.infer<typeof bodyHashSchema>;
type ShortBodyHash = Exclude<BodyHash, { whole: string }>;

/** The hashes of a received body in both forms, because the stored one may be either. */
export type RequestBodyHash = ShortBodyHash & { whole: string };

/**
 * Whether a body equals the stored one. Personal fields can be compared only under one key. A
 * client that was erased since has another key: then the other fields decide.
 */
export function isSameBody(stored: BodyHash, request: RequestBodyHash): boolean {
  if ('whole' in stored) return stored.whole === request.whole;
  const [before, now] = [stored.personal, request.personal];
  if (stored.rest !== request.rest || (before === undefined) !== (now === undefined)) return false;
  return before?.key_id !== now?.key_id || before?.hmac === now?.hmac;
}

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
 * operation as it is (R4.1). Anything else is a conflict (R4.3). If the client's key has changed
 * since, a repeat is compared again under the first one (`isRepeatedRequest` in the merchant API).
 */
export function repeatOrConflict(
  existing: { type: OperationType; bodyHash: BodyHash },
  create: { type: OperationType; body: RequestBodyHash },
): CreateRefusal {
  const same = existing.type === create.type && isSameBody(existing.bodyHash, create.body);
  return { code: same ? 'already_admitted' : 'idempotency_body_mismatch' };
}

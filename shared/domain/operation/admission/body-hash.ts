import { z } from 'zod';

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

import { z } from 'zod';

/** Of what is personal in a body, under the client's own key: who has not got that can't find it by trying. */
const personalHashSchema = z.object({ key_id: z.string(), hmac: z.string() });

/**
 * By what a create's body is known again (R4.2). `rest` is the bare hash of what is not personal.
 * `whole` is the bare hash of all of it, as events before version 3 have it: it is read, and written no more.
 */
export const bodyHashSchema = z.union([
  z.object({ rest: z.string(), personal: personalHashSchema.optional() }),
  z.object({ whole: z.string() }),
]);
export type BodyHash = z.infer<typeof bodyHashSchema>;
export type KeptBodyHash = Exclude<BodyHash, { whole: string }>;

/** Of a body that has come now: as it would be kept, and all of it, for what was kept so. */
export type GivenBody = KeptBodyHash & { whole: string };

/**
 * Whether a body is the one that was kept. What is personal in it can be compared under one key alone: where the key is
 * another, since the client was erased, the rest decides.
 */
export function isSameBody(kept: BodyHash, given: GivenBody): boolean {
  if ('whole' in kept) return kept.whole === given.whole;
  const [before, now] = [kept.personal, given.personal];
  if (kept.rest !== given.rest || (before === undefined) !== (now === undefined)) return false;
  return before?.key_id !== now?.key_id || before?.hmac === now?.hmac;
}

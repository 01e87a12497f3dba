import {
  isSameBody,
  type BodyHash,
  type GivenBody,
} from '#shared/domain/operation/admission/body-hash.ts';
import type { OperationRequest, PlainRequest } from '#shared/domain/operation/events.ts';
import { canonicalJson, hashBody } from '#shared/platform/ids.ts';
import type { PersonalData, Sealer } from '#shared/application/personal-data/personal-data.ts';
import type { CreateBody } from './body.ts';

type FindSealer = () => Promise<Sealer | undefined>;

/**
 * The personal fields of a body. The client id is not one: it is the merchant's own name for a
 * person.
 */
const personalFields: ReadonlySet<string> = new Set(['client_ip', 'number', 'name']);

/**
 * The personal part of a body as canonical text; undefined if it has none.
 */
function personalText(body: CreateBody): string | undefined {
  const personal = Object.entries(body).filter(([field]) => personalFields.has(field));
  return personal.length > 0 ? canonicalJson(Object.fromEntries(personal)) : undefined;
}

/**
 * A request as it is stored, with the hashes that recognise a repeat; undefined if the store does
 * not answer for the client's key. Most payments need no key.
 */
export async function asKept(
  { operationId, body, plain }: { operationId: string; body: CreateBody; plain: PlainRequest },
  findSealer: FindSealer,
): Promise<{ request: OperationRequest; body: GivenBody } | undefined> {
  const whole = hashBody(body);
  const text = personalText(body);
  if (text === undefined) return { request: plain, body: { rest: whole, whole } };
  const sealer = await findSealer();
  if (!sealer) return undefined;
  const rest = hashBody(
    Object.fromEntries(Object.entries(body).filter(([f]) => !personalFields.has(f))),
  );
  const personal = sealer.bodyHash(operationId, text);
  return { request: sealer.request(operationId, plain), body: { rest, personal, whole } };
}

/**
 * Whether the body of a repeat is the same as the first one, even if the client has another key
 * now: an erasure leaves the first key for a while; after that the rest of the body decides.
 * @throws when the store does not answer for the key
 */
export async function isRepeat(
  personal: Pick<PersonalData, 'bodyHashUnder'>,
  { operationId, bodyHash: kept }: { operationId: string; bodyHash: BodyHash },
  { body, given }: { body: CreateBody; given: GivenBody },
): Promise<boolean> {
  const before = 'whole' in kept ? undefined : kept.personal;
  const text = personalText(body);
  if (!before || text === undefined || before.key_id === given.personal?.key_id)
    return isSameBody(kept, given);
  const again = await personal.bodyHashUnder(before.key_id, { operationId, text });
  return isSameBody(kept, again ? { ...given, personal: again } : given);
}

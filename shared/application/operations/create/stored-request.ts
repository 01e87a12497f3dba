import {
  isSameBody,
  type BodyHash,
  type RequestBodyHash,
} from '#shared/domain/operation/admission/idempotency.ts';
import type { OperationRequest, PlainRequest } from '#shared/domain/operation/events.ts';
import { pickSealable, pickTexts, sealedNames } from '#shared/domain/operation/fields/request.ts';
import { canonicalJson, hashBody } from '#shared/platform/ids.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { PersonalData, Sealer } from '#shared/application/personal-data/personal-data.ts';
import type { CreateBody } from '#shared/application/create-body/body.ts';

type FindSealer = () => Promise<Sealer | undefined>;

/**
 * The personal fields of a body. The client id is not one: it is the merchant's own name for a
 * person.
 */
const personalFields: ReadonlySet<string> = new Set([
  'client_ip',
  'number',
  'name',
  ...sealedNames,
]);

/**
 * The personal part of a body as canonical text; undefined if it has none.
 */
function personalText(body: CreateBody): string | undefined {
  const personal = Object.entries(body).filter(([field]) => personalFields.has(field));
  return personal.length > 0 ? canonicalJson(Object.fromEntries(personal)) : undefined;
}

/**
 * The request to store, with the hashes that identify a repeat; undefined if the store does not
 * return the client's key. Most payments need no key.
 */
export async function toStoredRequest(
  { operationId, body, plain }: { operationId: string; body: CreateBody; plain: PlainRequest },
  findSealer: FindSealer,
): Promise<{ request: OperationRequest; body: RequestBodyHash } | undefined> {
  const fullHash = hashBody(body);
  const text = personalText(body);
  const clear = { ...plain, ...pickTexts(body) };
  if (text === undefined) return { request: clear, body: { rest: fullHash, whole: fullHash } };
  const sealer = await findSealer();
  if (!sealer) return undefined;
  const personal = sealer.bodyHash(operationId, text);
  const request = sealer.request(operationId, { ...clear, ...pickSealable(body) });
  return { request, body: { rest: hashPublicFields(body), personal, whole: fullHash } };
}

const hashPublicFields = (body: CreateBody): string =>
  hashBody(Object.fromEntries(Object.entries(body).filter(([f]) => !personalFields.has(f))));

/**
 * Whether the body of a repeat equals the first one, even if the client's key has changed: after an
 * erasure the first key remains for a while; later only the rest of the body is compared.
 * @throws when the store does not return the key
 */
export async function isRepeatedRequest(
  personal: Pick<PersonalData, 'bodyHashUnder'>,
  { operationId, bodyHash: stored }: { operationId: string; bodyHash: BodyHash },
  { body, bodyHash }: { body: CreateBody; bodyHash: RequestBodyHash },
): Promise<boolean> {
  const storedPersonal = 'whole' in stored ? undefined : stored.personal;
  const text = personalText(body);
  if (!storedPersonal || text === undefined || storedPersonal.key_id === bodyHash.personal?.key_id)
    return isSameBody(stored, bodyHash);
  const rehashed = await personal.bodyHashUnder(storedPersonal.key_id, { operationId, text });
  return isSameBody(stored, rehashed ? { ...bodyHash, personal: rehashed } : bodyHash);
}

/** Of a body that is compared only: equal to no hash of a key. */
const unkeyed = { key_id: '', hmac: '' };

/**
 * Whether a payout with that body would be a repeat of the operation. No key is made for the body's
 * client.
 * @throws when the store does not return the key of the operation
 */
export async function wouldRepeatPayout(
  personal: Pick<PersonalData, 'bodyHashUnder'>,
  first: Pick<Operation, 'operationId' | 'type' | 'bodyHash'>,
  body: CreateBody,
): Promise<boolean> {
  if (first.type !== 'payout') return false;
  const hashes =
    personalText(body) === undefined
      ? { rest: hashBody(body) }
      : { rest: hashPublicFields(body), personal: unkeyed };
  const bodyHash = { ...hashes, whole: hashBody(body) };
  return isRepeatedRequest(personal, first, { body, bodyHash });
}

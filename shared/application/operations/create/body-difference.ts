import type { CreateBody } from '#shared/application/create-body/body.ts';
import type { BodyHash, RequestBodyHash } from '#shared/domain/operation/admission/idempotency.ts';
import { sealedNames, storedTexts } from '#shared/domain/operation/fields/request.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';

type Create = { type: OperationType; body: CreateBody; bodyHash: RequestBodyHash };

const compared = [...storedTexts, 'method', 'amount', 'currency'] as const;

/**
 * What of a create differs from the operation that has its key, by names alone: values are the
 * caller's own, but may be personal (R4.3).
 */
export function describeDifference(existing: OperationState, create: Create): string {
  if (existing.phase !== 'admitted') return 'the merchant_operation_id was cancelled as a payment';
  if (existing.type !== create.type)
    return `the merchant_operation_id is that of a ${existing.type}`;
  const named = publicDifferences(existing, create);
  const texts =
    named.length > 0 ? [`${named.join(', ')} ${named.length > 1 ? 'differ' : 'differs'}`] : [];
  if (named.length === 0 || personalDiffers(existing.bodyHash, create.bodyHash))
    texts.push(personalText(existing, create));
  return `${texts.join('; ')} from the first request with this merchant_operation_id`;
}

function publicDifferences({ request, bodyHash }: Operation, create: Create): string[] {
  const named = compared.filter((field) => request[field] !== create.body[field]);
  const differs = 'rest' in bodyHash && bodyHash.rest !== create.bodyHash.rest;
  // The only other one; it is not stored where a method has no banks.
  return named.length === 0 && differs ? ['bankname'] : named;
}

function personalDiffers(stored: BodyHash, { personal: now }: RequestBodyHash): boolean {
  if ('whole' in stored) return false;
  const { personal: before } = stored;
  if (!before || !now) return before !== now;
  return before.key_id === now.key_id && before.hmac !== now.hmac;
}

/** They are hashed together, so the one that differs is not known. */
function personalText({ type, request }: Operation, { body }: Create): string {
  const fields = [
    ...(type === 'payout' || body.number !== undefined ? ['number'] : []),
    ...(type === 'payout' || body.name !== undefined ? ['name'] : []),
    ...sealedNames.filter((name) => request[name] ?? body[name]),
    ...(request.client_ip !== undefined || body.client_ip !== undefined ? ['client_ip'] : []),
  ];
  const listed = fields.length > 0 ? fields : ['number', 'name'];
  return listed.length > 1
    ? `at least one of ${listed.join(', ')} differs`
    : `${listed[0]} differs`;
}

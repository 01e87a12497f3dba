import { z } from 'zod';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { ValidationOptions } from '#shared/platform/http/validate.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { identifier } from '#shared/application/create-body/texts.ts';
import { forbiddenScopeFields } from '#shared/application/scope-fields.ts';

/** One operation, by exactly one of its identifiers (R10.1). */
export const operationReferenceSchema = z.strictObject({
  operation_id: z.guid('must be a UUID').optional(),
  merchant_operation_id: identifier.optional(),
});

type OperationReference = z.infer<typeof operationReferenceSchema>;

export const operationReferenceRules: ValidationOptions = {
  unknownFields: forbiddenScopeFields,
  codes: { operation_id: 'operation_id_invalid' },
  across: ({ operation_id, merchant_operation_id }) => {
    const count = [operation_id, merchant_operation_id].filter(
      (value) => value !== undefined,
    ).length;
    if (count === 1) return [];
    return count === 0
      ? [
          {
            pointer: '',
            code: 'identifier_required',
            detail: 'send operation_id or merchant_operation_id',
          },
        ]
      : [
          {
            pointer: '',
            code: 'identifier_ambiguous',
            detail: 'send only one of operation_id and merchant_operation_id',
          },
        ];
  },
};

/** The id of the operation. Either identifier leads to it, whether or not the operation exists. */
export function referredId(
  shop: Shop,
  {
    operation_id,
    merchant_operation_id,
  }: Pick<OperationReference, 'operation_id' | 'merchant_operation_id'>,
): string {
  if (operation_id !== undefined) return operation_id.toLowerCase();
  return operationIdFor(Buffer.from(shop.operationIdSecret, 'hex'), merchant_operation_id ?? '');
}

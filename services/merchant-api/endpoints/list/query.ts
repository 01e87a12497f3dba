import { z } from 'zod';
import { decodeListCursor } from './cursor.ts';
import type { ShopFilter } from '#projections/operations/of-shop.ts';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { timeParameter } from '#shared/platform/http/time-parameter.ts';
import { validateQuery } from '#shared/platform/http/query.ts';
import { identifier } from '#shared/application/create-body/texts.ts';
import { forbiddenScopeFields } from '#shared/application/scope-fields.ts';

const maxLimit = 100;

/** The parameters of GET /v1/operations (R10.11), each as text. */
export const operationsQuerySchema = z.strictObject({
  type: enumSchema(operationTypes).optional(),
  status: enumSchema(shownStatuses).optional(),
  merchant_operation_id: identifier.optional(),
  client_id: identifier.optional(),
  created_from: timeParameter.optional(),
  created_to: timeParameter.optional(),
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, `must be a number from 1 to ${maxLimit}`)
    .transform(Number)
    .default(50),
  cursor: z
    .string()
    .transform((text, context) => {
      const cursor = decodeListCursor(text);
      if (cursor) return cursor;
      context.addIssue({ code: 'custom', message: 'must be the next_cursor of an earlier answer' });
      return z.NEVER;
    })
    .optional(),
});

export type OperationsQuery = z.infer<typeof operationsQuerySchema>;

/** @throws Problem invalid_request */
export const readOperationsQuery = (sent: URLSearchParams): OperationsQuery =>
  validateQuery(sent, operationsQuerySchema, { unknownFields: forbiddenScopeFields });

export const toShopFilter = (query: Omit<OperationsQuery, 'limit' | 'cursor'>): ShopFilter => ({
  type: query.type,
  status: query.status,
  merchantOperationId: query.merchant_operation_id,
  clientId: query.client_id,
  createdFrom: query.created_from,
  createdBefore: query.created_to,
});

function enumSchema<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

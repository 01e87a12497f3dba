import { z } from 'zod';
import { decodeListCursor } from './cursor.ts';
import { operationTypes, shownStatuses, type ShopFilter } from '#projections/operations/of-shop.ts';
import { pointerTo, validate } from '#shared/platform/http/validate.ts';
import { identifier } from '../create/body.ts';

const maxLimit = 100;
const time = z
  .string()
  .refine(isRfc3339, 'must be a time such as 2026-01-31T12:00:00Z; write a + in it as %2B')
  .transform(toWholeMs);

/** The parameters of GET /v1/operations (R10.11), each as text. */
export const operationsQuerySchema = z.strictObject({
  type: oneOf(operationTypes).optional(),
  status: oneOf(shownStatuses).optional(),
  merchant_operation_id: identifier.optional(),
  client_id: identifier.optional(),
  created_from: time.optional(),
  created_to: time.optional(),
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

/** @throws Problem invalid_request, also for a parameter that is sent twice: nobody knows which one is meant */
export function readOperationsQuery(sent: URLSearchParams): OperationsQuery {
  const twice = [...Map.groupBy(sent.keys(), (name) => name)].filter(([, times]) => times.length > 1);
  return validate(operationsQuerySchema, Object.fromEntries(sent), {
    scoped: true,
    across: () =>
      twice.map(([name]) => ({
        pointer: pointerTo([name]),
        code: 'field_invalid',
        detail: 'this parameter must be sent once',
      })),
  });
}

export const filterOf = (query: OperationsQuery): ShopFilter => ({
  type: query.type,
  status: query.status,
  merchantOperationId: query.merchant_operation_id,
  clientId: query.client_id,
  createdFrom: query.created_from,
  createdTo: query.created_to,
});

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** zod knows the calendar; it takes times without seconds, which RFC 3339 does not. */
function isRfc3339(text: string): boolean {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text.toUpperCase());
  return parsed.success && /T\d\d:\d\d:\d\d/i.test(text) && !Number.isNaN(toWholeMs(text).getTime());
}

/**
 * The first whole millisecond at that time or after it: times of operations have no finer part, so that this decides
 * the same. Nothing is as old as 1970, and PostgreSQL knows no year 0.
 */
function toWholeMs(text: string): Date {
  const ms = Date.parse(text.toUpperCase());
  const finer = /\.\d{3}\d*[1-9]/.test(text) ? 1 : 0;
  return new Date(Math.max(0, ms + finer));
}

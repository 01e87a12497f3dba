import type { Context } from 'hono';
import { z } from 'zod';
import { currencies } from '#shared/domain/methods/index.ts';
import { isZone } from '#shared/application/pages/zone.ts';
import { queryOf, validateQuery } from '#shared/platform/http/query.ts';

/** A page's size, as text from a query string. */
export const limitParameter = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a number from 1 to 200')
  .transform(Number)
  .refine((limit) => limit >= 1 && limit <= 200, 'must be a number from 1 to 200')
  .default(50);

/** A shop's id in a query string, in lower case as in the tables. */
export const shopIdParameter = z.guid().toLowerCase().optional();

/** A ledger's currency in a query string. */
export const currencyParameter = z.enum(currencies).optional();

/** The time zone of an export's times: PostgreSQL knows every name that Intl knows. */
export const zoneParameter = z
  .string()
  .max(64)
  .refine(isZone, 'must be the name of a time zone, such as Europe/Berlin')
  .default('UTC');

export { invalidCursor, readCursor } from '#shared/platform/http/cursor.ts';
export { textParameter } from '#shared/platform/http/text-parameter.ts';

/**
 * Parses the query string. An unknown parameter is refused, so that a typo does not list
 * everything.
 * @throws Problem invalid_request
 */
export function readQuery<Schema extends z.ZodType>(c: Context, schema: Schema): z.infer<Schema> {
  return validateQuery(queryOf(c), schema);
}

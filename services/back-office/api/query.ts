import type { Context } from 'hono';
import { z } from 'zod';
import { currencies } from '#shared/domain/currencies.ts';
import { zoneNamed } from '#shared/application/pages/zone.ts';
import { queryParameters, validateQuery } from '#shared/platform/http/query.ts';

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

/** The time zone of an export's times, by the name that PostgreSQL knows too. */
export const zoneParameter = z
  .string()
  .max(64)
  .transform((text, context) => {
    const zone = zoneNamed(text);
    if (zone !== undefined) return zone;
    context.addIssue('must be the name of a time zone, such as Europe/Berlin');
    return z.NEVER;
  })
  .default('UTC');

export { invalidCursor, readCursor } from '#shared/platform/http/cursor.ts';
export { textParameter } from '#shared/platform/http/text-parameter.ts';

/**
 * Parses the query string. An unknown parameter is refused, so that a typo does not list
 * everything.
 * @throws Problem invalid_request
 */
export function readQuery<Schema extends z.ZodType>(c: Context, schema: Schema): z.infer<Schema> {
  return validateQuery(queryParameters(c), schema);
}

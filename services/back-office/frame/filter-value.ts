import { z } from 'zod';

/**
 * A value of a filter in an address. A form sends empty fields too, and a value that makes no sense
 * is no filter: the form above the list shows which filters apply.
 */
export const filterValue = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? value.trim() || undefined : value),
      schema.optional(),
    )
    .optional()
    .catch(undefined);

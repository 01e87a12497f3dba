import type { Context } from 'hono';
import type { z } from 'zod';
import { Problem } from '#shared/platform/http/problems.ts';

/** The query of an address. @throws Problem not_found for one that no page has */
export function readPageQuery<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): z.infer<Schema> {
  const { data, success } = schema.safeParse(c.req.query());
  if (!success) throw new Problem('not_found');
  return data;
}

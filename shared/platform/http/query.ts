import type { z } from 'zod';
import { pointerTo, validate, type ValidationOptions } from './validate.ts';

/**
 * Parses the query string of a JSON API.
 * @throws Problem invalid_request, also for a parameter that is sent twice, because it is ambiguous
 */
export function validateQuery<Schema extends z.ZodType>(
  sent: URLSearchParams,
  schema: Schema,
  { across, ...options }: ValidationOptions = {},
): z.infer<Schema> {
  const twice = [...Map.groupBy(sent.keys(), (name) => name)].filter(
    ([, times]) => times.length > 1,
  );
  return validate(schema, Object.fromEntries(sent), {
    ...options,
    across: (query) => [
      ...twice.map(([name]) => ({
        pointer: pointerTo([name]),
        code: 'field_invalid',
        detail: 'this parameter must be sent once',
      })),
      ...(across?.(query) ?? []),
    ],
  });
}

export const queryParameters = (c: { readonly req: { readonly url: string } }): URLSearchParams =>
  new URL(c.req.url).searchParams;

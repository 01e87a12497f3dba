import type { Context } from 'hono';
import { Problem } from './problems.ts';

/**
 * Without its parameters and in lower case: that of `Application/JSON; charset=utf-8` is
 * `application/json`.
 */
export const requestContentType = (c: Context): string | undefined =>
  c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();

/**
 * @throws Problem content_type_unsupported where the body is of another type, or of none
 */
export function requireContentType(
  c: Context,
  type: 'application/json' | 'multipart/form-data',
): void {
  requireAnyContentType(c, [type]);
}

/** @throws Problem content_type_unsupported */
export function requireAnyContentType(c: Context, types: readonly string[]): void {
  if (!types.includes(requestContentType(c) ?? ''))
    throw new Problem('content_type_unsupported', { detail: `send ${types.join(', ')}` });
}

/**
 * @throws Problem content_type_unsupported if the body is compressed, because its size would be
 *   unknown
 */
export function refuseEncodedBody(c: Context): void {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return;
  throw new Problem('content_type_unsupported', {
    detail: 'send the body without a content-encoding',
  });
}

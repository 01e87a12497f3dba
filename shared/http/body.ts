import type { Context } from 'hono';
import { Problem } from './problems.ts';

/** JSON bodies end at 64 KiB (contract §2). */
export const maxJsonBytes = 64 * 1024;

/**
 * The request's JSON value.
 * @throws Problem content_type_unsupported, body_too_large (counted while it streams, whatever its header says) or
 * invalid_json.
 */
export async function readJson(c: Context, maxBytes = maxJsonBytes): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new Problem('content_type_unsupported', { detail: 'send application/json' });
  }
  const bytes = await readBytes(c, maxBytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem('invalid_json');
  }
}

/** The raw body, up to `maxBytes`. @throws Problem body_too_large */
export async function readBytes(c: Context, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new Problem('body_too_large', { detail: `the limit is ${maxBytes} bytes` });
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

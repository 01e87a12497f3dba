import type { Context } from 'hono';
import { refuseEncodedBody, requireContentType } from './content-type.ts';
import { explainInvalidJson } from './invalid-json.ts';
import { Problem } from './problems.ts';
import { invalidRequest } from './validate.ts';

/** JSON bodies end at 64 KiB (R2.5). */
export const maxJsonBytes = 64 * 1024;
const maxJsonDepth = 64;
const twice = 'no object may have a member twice';
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The request's JSON value.
 * @throws Problem content_type_unsupported, body_too_large (counted while it streams, whatever its
 *   header says) or invalid_json.
 */
export async function readJson(c: Context, maxBytes = maxJsonBytes): Promise<unknown> {
  requireContentType(c, 'application/json');
  return parseJson(await readBytes(c, maxBytes));
}

/**
 * @throws Problem invalid_json; invalid_request for an object that has a member twice, of which
 * JSON.parse would take the last
 */
export function parseJson(bytes: Uint8Array): unknown {
  const { depth, members } = measureJson(bytes);
  if (depth > maxJsonDepth)
    throw new Problem('invalid_json', { detail: `JSON may nest ${maxJsonDepth} levels deep` });
  const value = parsed(bytes);
  if (countMembers(value) < members)
    throw invalidRequest([{ pointer: '', code: 'field_invalid', detail: twice }]);
  return value;
}

function parsed(bytes: Uint8Array): unknown {
  const text = decoded(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('invalid_json', { detail: explainInvalidJson(text) });
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('invalid_json', { detail: 'the body is not in UTF-8' });
  }
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : values.length;
  return values.reduce((sum: number, each) => sum + countMembers(each), own);
}

/**
 * The raw body, up to `maxBytes`.
 * @throws Problem body_too_large, content_type_unsupported (an encoded body) or invalid_request (it
 *   broke off)
 */
export async function readBytes(c: Context, maxBytes: number): Promise<Uint8Array> {
  if (c.req.header('content-length') === undefined) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readChunks(c, maxBytes)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  requireAllowed(c, maxBytes);
  // Node ends the body at its declared length; reading it directly costs no web stream.
  const bytes = new Uint8Array(await c.req.raw.arrayBuffer().catch(throwBrokenOff));
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

/** The raw body as it arrives, up to `maxBytes`. @throws as `readBytes` */
export async function* readChunks(c: Context, maxBytes: number): AsyncGenerator<Uint8Array> {
  requireAllowed(c, maxBytes);
  let size = 0;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throwBrokenOff(error);
  }
}

/** @throws Problem body_too_large by the declared length, content_type_unsupported */
function requireAllowed(c: Context, maxBytes: number): void {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  refuseEncodedBody(c);
}

const tooLarge = (maxBytes: number) =>
  new Problem('body_too_large', { detail: `the limit is ${maxBytes} bytes` });

/** The client hung up: no error of ours. */
function throwBrokenOff(cause: unknown): never {
  if (cause instanceof Problem) throw cause;
  throw new Problem('invalid_request', { detail: 'the body ended too early', cause });
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];

/** The nesting and the members of JSON, before a parser or a schema walks it. */
function measureJson(bytes: Uint8Array): { depth: number; members: number } {
  let [depth, deepest, members] = [0, 0, 0];
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inText && byte === backslash) at += 1;
    else if (byte === quote) inText = !inText;
    else if (inText) continue;
    else if (byte === colon) members += 1;
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return { depth: deepest, members };
}

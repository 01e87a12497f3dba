import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'hono';
import { refuseEncodedBody, requireContentType } from './content-type.ts';
import { Problem, type FieldError } from './problems.ts';
import { pointerTo, unknownField, type UnknownFields } from './validate.ts';

export type MultipartForm = {
  /** Text by the part's name; only of requested parts. */
  fields: ReadonlyMap<string, string>;
  /** The file's bytes; empty where an empty one was sent. */
  file: Buffer | undefined;
  /** As the sender names it; undefined where there is no file, or no name. */
  fileName: string | undefined;
  /** Parts that are not known, come twice or are too long. */
  errors: readonly FieldError[];
};

export type MultipartRules = {
  fields: readonly string[];
  /** The one file part, whatever its name and type. */
  file: string;
  maxFileBytes: number;
  unknownFields?: UnknownFields;
};

const maxFieldBytes = 4 * 1024;
const maxParts = 20;
/** Bytes for everything but the file: boundaries, headers, fields. */
const maxOtherBytes = 128 * 1024;

/**
 * Parses multipart/form-data with its parts in any order. A file beyond its limit ends the reading
 * at once, however much is still to come. `noteBytes` is called for each piece, and may end it too.
 * @throws Problem content_type_unsupported (another type, no boundary, an encoded body),
 *   body_too_large, invalid_request (malformed, or broken off)
 */
export async function readMultipart(
  c: Context,
  rules: MultipartRules,
  noteBytes: (count: number) => void = () => undefined,
): Promise<MultipartForm> {
  const maxBytes = rules.maxFileBytes + maxOtherBytes;
  const parser = parserFor(c, rules);
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(rules);
  const form = collect(parser, rules);
  const reader = c.req.raw.body?.getReader();
  let size = 0;
  try {
    while (reader) {
      const reading = reader.read().catch((cause: unknown) => {
        throw new Problem('invalid_request', { detail: 'the body ended too early', cause });
      });
      // The form may be refused while the client sends nothing more.
      const { done, value } = await Promise.race([form.broken, reading]);
      if (done) break;
      size += value.byteLength;
      noteBytes(value.byteLength);
      if (size > maxBytes) throw tooLarge(rules);
      await Promise.race([form.broken, write(parser, value)]);
    }
    parser.end();
    await Promise.race([form.broken, form.finished]);
  } finally {
    // Not cancelled, which would close the connection before the answer is sent.
    reader?.releaseLock();
    parser.destroy();
  }
  return form.result();
}

function parserFor(c: Context, { maxFileBytes, file, fields }: MultipartRules): BusboyInstance {
  requireContentType(c, 'multipart/form-data');
  refuseEncodedBody(c);
  try {
    return new Busboy({
      headers: { 'content-type': c.req.header('content-type') ?? '' },
      isPartAFile: (name, _, fileName) =>
        name === file || (!fields.includes(name ?? '') && fileName !== undefined),
      limits: {
        fieldSize: maxFieldBytes,
        // One more byte: a file of exactly the limit must differ from one that was cut.
        fileSize: maxFileBytes + 1,
        parts: maxParts,
        headerPairs: 50,
        headerSize: 16 * 1024,
      },
    });
  } catch {
    throw new Problem('content_type_unsupported', {
      detail: 'multipart/form-data needs a boundary',
    });
  }
}

/** Collects what the parser finds. `broken` rejects with the reason to stop at once. */
function collect(parser: BusboyInstance, rules: MultipartRules) {
  const fields = new Map<string, string>();
  const errors = new Map<string, FieldError>();
  const chunks: Buffer[] = [];
  const names = new Set<string>();
  let file = false;
  let fileName: string | undefined;
  let fileBytes = 0;
  const finished = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  const malformed = (cause?: unknown) =>
    broken.reject(
      new Problem('invalid_request', { detail: 'the multipart body is malformed', cause }),
    );
  const refuse = (name: string, error: Omit<FieldError, 'pointer'>) => {
    const pointer = pointerTo([name]);
    if (!errors.has(pointer)) errors.set(pointer, { pointer, ...error });
  };
  /** Whether the part is to be taken. */
  const admit = (name: string, allowed: boolean): boolean => {
    if (!allowed) refuse(name, unknownField(name, rules.unknownFields));
    else if (names.has(name))
      refuse(name, { code: 'field_invalid', detail: 'this part was sent twice' });
    const first = !names.has(name);
    names.add(name);
    return allowed && first;
  };

  parser.on('field', (name, value, _, truncated) => {
    // Parts without a name come as undefined.
    if (!admit(name ?? '', rules.fields.includes(name ?? ''))) return;
    fields.set(name, value);
    if (truncated)
      refuse(name, { code: 'field_invalid', detail: `must have at most ${maxFieldBytes} bytes` });
  });
  parser.on('file', (name, stream, sentName) => {
    // A body that ends within the file is reported by the parser too.
    stream.on('error', malformed);
    if (!admit(name ?? '', name === rules.file)) return void stream.resume();
    file = true;
    fileName = sentName || undefined;
    stream.on('data', (chunk: Buffer) => {
      fileBytes += chunk.byteLength;
      if (fileBytes > rules.maxFileBytes) broken.reject(tooLarge(rules));
      else chunks.push(chunk);
    });
  });
  parser.on('partsLimit', () =>
    broken.reject(new Problem('invalid_request', { detail: `send at most ${maxParts} parts` })),
  );
  parser.on('error', malformed);
  parser.on('finish', () => finished.resolve());
  return {
    broken: broken.promise,
    finished: finished.promise,
    result: (): MultipartForm => ({
      fields,
      file: file ? Buffer.concat(chunks, fileBytes) : undefined,
      fileName,
      errors: [...errors.values()],
    }),
  };
}

/** Resolves once the parser has processed the chunk and all that it found is read. */
function write(parser: BusboyInstance, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    parser.write(chunk, () => resolve());
  });
}

function tooLarge({ maxFileBytes }: MultipartRules): Problem {
  return new Problem('body_too_large', { detail: `the file may have ${maxFileBytes} bytes` });
}

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** Atomically writes a file that only its owner may read. */
export function writePrivateJson(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * The content of such a file; undefined if there is none.
 * @throws when it is of another form, without its content, which may be secret
 */
export function readPrivateJson<Content>(
  file: string,
  schema: z.ZodType<Content>,
): Content | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { data, error } = schema.safeParse(parse(text));
  if (error) throw new Error(`${file} has another form: ${z.prettifyError(error)}`);
  return data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { Context } from 'hono';
import { timingSafeEqual } from 'node:crypto';
import { readBytes } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';

/** The fields of a form, each once: of a name that comes twice the last one counts. */
export type Values = Readonly<Record<string, string>>;

/** A field's text without the white space around it; empty where the form has none. */
export const trimmedValue = (values: Values, name: string): string => values[name]?.trim() ?? '';

/** The same; undefined where it is empty. */
export const formValue = (values: Values, name: string): string | undefined =>
  trimmedValue(values, name) || undefined;

/** The same as for JSON bodies: a form is little more than its values, percent-encoded. */
const maxFormBytes = 256 * 1024;

/** Only forms that list something have nearly as many. */
const usualFields = 100;

export const isForm = (c: Context): boolean =>
  c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ===
  'application/x-www-form-urlencoded';

/**
 * The form of the request.
 * @throws Problem content_type_unsupported, body_too_large, invalid_request
 */
export async function readFormValues(c: Context, maxFields = usualFields): Promise<Values> {
  if (!isForm(c)) throw new Problem('content_type_unsupported');
  const bytes = await readBytes(c, maxFormBytes);
  // Counted before parsing, which takes microseconds for each, and a body has room for 100,000.
  if (separatorsIn(bytes) >= maxFields)
    throw new Problem('invalid_request', { detail: `a form may have ${maxFields} fields` });
  const text = new TextDecoder().decode(bytes);
  const values = new URLSearchParams(text);
  // Browsers send the lines of a text area with CR LF.
  return Object.fromEntries(
    [...values].map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]),
  );
}

const ampersand = 0x26;
function separatorsIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === ampersand) count += 1;
  return count;
}

/** Refuses a form that no page of this session rendered. @throws Problem forbidden */
export function checkFormToken({ formToken }: { formToken: string }, values: Values): void {
  const submitted = Buffer.from(values['form_token'] ?? '');
  const expected = Buffer.from(formToken);
  if (submitted.length !== expected.length || !timingSafeEqual(submitted, expected))
    throw new Problem('forbidden', { detail: 'the form does not belong to this session' });
}

import type { z } from 'zod';
import { issueText } from './issue-text.ts';
import { Problem, type FieldError } from './problems.ts';

const scopeFields = new Set(['merchant_id', 'shop_id']);

export type ValidationOptions = {
  /**
   * The code of a field that is there but wrong, by its own name; `field_invalid` where none is
   * named.
   */
  codes?: Readonly<Record<string, string>>;
  /**
   * Rules over several fields: asked even when single fields fail, so that every error is listed at
   * once.
   */
  across?: (body: Readonly<Record<string, unknown>>) => readonly FieldError[];
  /** Where `merchant_id` and `shop_id` come from the key and must not be sent (R1.3). */
  scoped?: boolean;
};

/**
 * The body as its schema reads it.
 * @throws Problem invalid_request, with every invalid field (R2.2)
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  options: ValidationOptions = {},
): z.infer<Schema> {
  if (isObject(body) && Object.keys(body).length > maxKeys) throw tooManyKeys();
  // What a schema says itself comes first.
  const parsed = schema.safeParse(body, { error: issueText });
  const errors = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => fieldErrors(issue, body, options));
  if (isObject(body)) errors.push(...(options.across?.(body) ?? []));
  if (!parsed.success || errors.length > 0) throw invalidRequest(onePerField(errors));
  return parsed.data;
}

/** No body of any schema has as many; each unknown one would cost an error of its own. */
const maxKeys = 100;

const tooManyKeys = () =>
  invalidRequest([
    { pointer: '', code: 'field_invalid', detail: `must have at most ${maxKeys} fields` },
  ]);

const maxErrors = 50;
const maxNamed = 5;
const maxPointerLength = 200;

/**
 * The refusal: lists the first 50 errors and names 5 of them in its text, however many there are.
 */
export function invalidRequest(errors: readonly FieldError[]): Problem {
  const listed = errors
    .slice(0, maxErrors)
    .map((error) => ({ ...error, pointer: shortened(error.pointer, maxPointerLength) }));
  const named = listed
    .slice(0, maxNamed)
    .map(({ pointer, code }) => `${pointer === '' ? 'the body' : pointer}: ${code}`)
    .join('; ');
  const more = errors.length - maxNamed;
  return new Problem('invalid_request', {
    detail: more > 0 ? `${named}; … and ${more} more` : named,
    errors: listed,
  });
}

function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function fieldErrors(
  issue: z.core.$ZodIssue,
  body: unknown,
  { codes = {}, scoped = false }: ValidationOptions,
): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      ...unknownField(key, scoped),
    }));
  }
  const pointer = pointerTo(issue.path);
  if (issue.path.length > 0 && valueAt(body, issue.path) === undefined) {
    return [{ pointer, code: 'field_required', detail: 'this field is required' }];
  }
  const field = issue.path.findLast((part) => typeof part === 'string');
  const code = field !== undefined && Object.hasOwn(codes, field) ? codes[field] : undefined;
  return [{ pointer, code: code ?? 'field_invalid', detail: issue.message }];
}

/** What is wrong with a field that no schema knows. */
export function unknownField(name: string, scoped: boolean): Omit<FieldError, 'pointer'> {
  return scoped && scopeFields.has(name)
    ? { code: 'scope_field_forbidden', detail: 'the API key fixes the scope' }
    : { code: 'field_unknown', detail: 'this field is not known here' };
}

/** One error a field: the first that its rules found. */
function onePerField(errors: readonly FieldError[]): FieldError[] {
  return [
    ...new Map(errors.toReversed().map((error) => [error.pointer, error])).values(),
  ].toReversed();
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** RFC 6901. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

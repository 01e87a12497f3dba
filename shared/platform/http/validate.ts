import type { z } from 'zod';
import { issueText } from './issue-text.ts';
import { Problem, type FieldError } from './problems.ts';

/** The errors of certain unknown fields, by name. */
export type UnknownFields = Readonly<Record<string, Omit<FieldError, 'pointer'>>>;

export type ValidationOptions = {
  /** The code for an invalid field, by its name; `field_invalid` by default. */
  codes?: Readonly<Record<string, string>>;
  /**
   * Rules across fields, checked even when single fields fail, so that all errors are reported at
   * once.
   */
  across?: (body: Readonly<Record<string, unknown>>) => readonly FieldError[];
  /** `field_unknown` where none is named. */
  unknownFields?: UnknownFields;
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
  const tooLarge = findTooLarge(body);
  if (tooLarge) throw invalidRequest([tooLarge]);
  // What a schema says itself comes first.
  const parsed = schema.safeParse(body, { error: issueText });
  const issues = parsed.success ? [] : parsed.error.issues;
  const across = isObject(body) ? (options.across?.(body) ?? []) : [];
  if (!parsed.success || across.length > 0)
    throw invalidRequest(...firstErrors(issues, { body, options, across }));
  return parsed.data;
}

/** No schema allows more members or items; checking each would report an error for each. */
const maxKeys = 100;
const maxEntries = 200;

type Node = { value: object; key?: string; parent?: Node };

/** The first object or list with too many members, at any depth. */
function findTooLarge(body: unknown): FieldError | undefined {
  const left: Node[] = isContainer(body) ? [{ value: body }] : [];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const isList = Array.isArray(node.value);
    const keys = Object.keys(node.value);
    const limit = isList ? maxEntries : maxKeys;
    if (keys.length > limit)
      return {
        pointer: pointerTo(nodePath(node)),
        code: 'field_invalid',
        detail: `must have at most ${limit} ${isList ? 'entries' : 'fields'}`,
      };
    for (const key of keys) {
      const value: unknown = Reflect.get(node.value, key);
      if (isContainer(value)) left.push({ value, key, parent: node });
    }
  }
  return undefined;
}

function nodePath(node: Node): PropertyKey[] {
  const path: PropertyKey[] = [];
  for (let at: Node | undefined = node; at?.key !== undefined; at = at.parent) path.push(at.key);
  return path.toReversed();
}

const maxErrors = 50;
const maxPointerLength = 200;

/** The refusal: lists the first 50 errors; its text is the first, and how many more there are. */
export function invalidRequest(errors: readonly FieldError[], count = errors.length): Problem {
  const listed = errors
    .slice(0, maxErrors)
    .map((error) => ({ ...error, pointer: shortened(error.pointer, maxPointerLength) }));
  const [first] = listed;
  const sentence = first && `${first.pointer === '' ? 'the body' : first.pointer}: ${first.detail}`;
  return new Problem('invalid_request', {
    ...(sentence && { detail: count > 1 ? `${sentence}; and ${count - 1} more` : sentence }),
    errors: listed,
  });
}

function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function fieldErrors(
  issue: z.core.$ZodIssue,
  body: unknown,
  { codes = {}, unknownFields }: ValidationOptions,
  most: number,
): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, most).map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      ...unknownField(key, unknownFields),
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

/** The error of a field that no schema has. */
export function unknownField(name: string, errors: UnknownFields = {}) {
  const named = Object.hasOwn(errors, name) ? errors[name] : undefined;
  return named ?? { code: 'field_unknown', detail: 'this field is unknown' };
}

/** One error a field, the first found, up to the listed number; and how many errors there are. */
function firstErrors(
  issues: readonly z.core.$ZodIssue[],
  more: { body: unknown; options: ValidationOptions; across: readonly FieldError[] },
): [errors: FieldError[], count: number] {
  const { body, options, across } = more;
  const errors = new Map<string, FieldError>();
  const add = (error: FieldError) => {
    if (!errors.has(error.pointer)) errors.set(error.pointer, error);
  };
  let count = 0;
  for (const issue of issues) {
    const capacity = maxErrors - errors.size;
    if (capacity > 0) fieldErrors(issue, body, options, capacity).forEach(add);
    count += issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
  }
  across.forEach(add);
  count += across.length;
  return [[...errors.values()], errors.size < maxErrors ? errors.size : count];
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

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

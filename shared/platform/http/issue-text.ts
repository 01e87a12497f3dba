import type { z } from 'zod';

/** Our own text for rules of a schema that have none. */
export function issueText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${named(issue.expected)}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return issue.minimum === 1
        ? (nonEmpty[issue.origin] ?? bounded('at least', issue.origin, issue.minimum))
        : bounded('at least', issue.origin, issue.minimum);
    case 'too_big':
      return bounded('at most', issue.origin, issue.maximum);
    case 'invalid_format':
      return formats[issue.format] ?? 'is not written as it must be';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'has fields that are not known here';
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    default:
      return 'is not valid';
  }
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  file: 'a file',
  null: 'null',
};

const named = (type: string): string => types[type] ?? 'of another type';

const formats: Readonly<Record<string, string>> = {
  guid: 'must be a UUID',
  uuid: 'must be a UUID',
  url: 'must be a URL',
  datetime: 'must be a time such as 2026-01-31T12:00:00Z',
};

const nonEmpty: Readonly<Record<string, string>> = {
  string: 'must not be empty',
  array: 'must have at least one entry',
};

const units: Readonly<Record<string, string>> = {
  string: ' characters',
  array: ' entries',
  set: ' entries',
  map: ' entries',
  file: ' bytes',
};

function bounded(how: string, origin: string, limit: number | bigint): string {
  const unit = units[origin];
  return unit === undefined ? `must be ${how} ${limit}` : `must have ${how} ${limit}${unit}`;
}

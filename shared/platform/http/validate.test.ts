import { expect, it } from 'vitest';
import { z } from 'zod';
import { Problem } from './problems.ts';
import { validate } from './validate.ts';

function refusalOf(body: unknown, schema: z.ZodType = z.strictObject({})): Problem {
  try {
    validate(schema, body);
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error('it was not refused');
}

it('lists the first 50 errors of a body with many unknown fields', () => {
  const keys = Array.from({ length: 100 }, (_, index) => `${index}${'k'.repeat(1000)}`);
  const refusal = refusalOf(Object.fromEntries(keys.map((key) => [key, 1])));
  expect(refusal.errors).toHaveLength(50);
  expect(Math.max(...(refusal.errors ?? []).map(({ pointer }) => pointer.length))).toBe(200);
  expect(refusal.detail).toMatch(/^\S+: this field is unknown; and 99 more$/);
});

it('rejects a body of more than 100 fields with one error', () => {
  const fields = Array.from({ length: 101 }, (_, index) => [`field${index}`, 1]);
  const refusal = refusalOf(Object.fromEntries(fields));
  expect(refusal.errors).toEqual([
    { pointer: '', code: 'field_invalid', detail: 'must have at most 100 fields' },
  ]);
});

it.each([
  ['an object in a field', (large: object) => ({ options: large }), '/options'],
  ['one in a list of lists', (large: object) => [[1, { 'a/b': [large] }]], '/0/1/a~1b/0'],
])(
  'rejects with one error %s with more than 100 fields, before its schema (R2.3)',
  (_what, body, pointer) => {
    const large = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 1]));
    let schemaRuns = 0;
    const schema = z.unknown().refine(() => (schemaRuns += 1) > 0);
    expect(refusalOf(body(large), schema).errors).toEqual([
      { pointer, code: 'field_invalid', detail: 'must have at most 100 fields' },
    ]);
    const list = Array.from({ length: 201 }, () => 1);
    expect(refusalOf(body(list), schema).errors).toEqual([
      { pointer, code: 'field_invalid', detail: 'must have at most 200 entries' },
    ]);
    expect(schemaRuns).toBe(0);
  },
);

it('lists the first 50 unknown fields of many objects, and counts the others', () => {
  const schema = z.strictObject({ list: z.array(z.strictObject({})) });
  const fields = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, 1]));
  const { errors, detail } = refusalOf({ list: Array.from({ length: 100 }, () => fields) }, schema);
  expect(errors).toHaveLength(50);
  expect(errors?.[49]).toMatchObject({ pointer: '/list/0/f49', code: 'field_unknown' });
  expect(detail).toMatch(/; and 8999 more$/);
});

it.each(['constructor', 'toString', 'valueOf'])('uses the general code for a field %s', (name) => {
  const schema = z.object({ names: z.record(z.string(), z.string()) });
  const body: unknown = JSON.parse(`{"names":{"${name}":1}}`);
  expect(() => validate(schema, body, { codes: { names: 'x' } })).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ code: 'field_invalid' })] }),
  );
});

/** Zod's default messages. */
const zodsOwn = /^(Invalid|Too (big|small)|Unrecognized|Expected|Required)|\b(expected|received)\b/;

it.each([
  [z.string(), 1, 'must be a string'],
  [z.enum(['a', 'b']), 'z', 'must be one of a, b'],
  [z.literal('c'), 'z', 'must be c'],
  [z.guid(), 'z', 'must be a UUID'],
  [z.url(), 'z', 'must be a URL'],
  [z.iso.datetime(), 'z', 'must be a time such as 2026-01-31T12:00:00Z'],
  [z.string().regex(/^x$/), 'z', 'is not written as it must be'],
  [z.array(z.string()).max(1), ['', ''], 'must have at most 1 entries'],
  [z.array(z.string()).min(1), [], 'must have at least one entry'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.number().max(3), 4, 'must be at most 3'],
  [z.number().multipleOf(2), 3, 'must be a multiple of 2'],
  [z.string().max(2), 'long', 'must have at most 2 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().refine(() => false), '', 'is not valid'],
  [z.union([z.string(), z.number()]), true, 'is not valid'],
  [z.boolean(), 1, 'must be true or false'],
  [z.record(z.string(), z.string()), [], 'must be an object'],
  [z.string('must be as documented'), 1, 'must be as documented'],
])('replaces each message of zod: %#', (field, value, detail) => {
  const schema = z.strictObject({ field });
  expect(refusalOf({ field: value }, schema).errors).toMatchObject([{ pointer: '/field', detail }]);
  for (const input of [null, [], 'x', {}, { field: null }])
    for (const error of refusalOf(input, schema).errors ?? [])
      expect(error.detail).not.toMatch(zodsOwn);
});

it('says in a sentence what is wrong with the first field, and how many more there are (R2.14)', () => {
  const amount = z.string('must be a decimal with two places, such as "100.00"');
  const schema = z.strictObject({ amount, name: z.string(), note: z.string() });
  const sentence = '/amount: must be a decimal with two places, such as "100.00"';
  expect(refusalOf({ amount: 100, name: 'a', note: 'b' }, schema).detail).toBe(sentence);
  expect(refusalOf({ amount: 100, name: 1 }, schema).detail).toBe(`${sentence}; and 2 more`);
  expect(refusalOf([], schema).detail).toBe('the body: must be an object');
});

import { expect, it } from 'vitest';
import { z } from 'zod';
import { Problem } from './problems.ts';
import { validate } from './validate.ts';

it('bounds what it says about a body with thousands of unknown keys', () => {
  const keys = Array.from({ length: 5000 }, (_, index) => `${index}${'k'.repeat(1000)}`);
  let refusal: unknown;
  try {
    validate(z.strictObject({}), Object.fromEntries(keys.map((key) => [key, 1])));
  } catch (error) {
    refusal = error;
  }
  if (!(refusal instanceof Problem)) throw new Error('it was not refused');
  expect(refusal.errors).toHaveLength(50);
  expect(Math.max(...(refusal.errors ?? []).map(({ pointer }) => pointer.length))).toBe(200);
  expect(refusal.detail).toMatch(/ … and 4995 more$/);
  expect(refusal.detail.length).toBeLessThan(1500);
});

it.each(['constructor', 'toString', 'valueOf'])('has no code of its own for a field %s', (name) => {
  const schema = z.object({ names: z.record(z.string(), z.string()) });
  const body: unknown = JSON.parse(`{"names":{"${name}":1}}`);
  expect(() => validate(schema, body, { codes: { names: 'x' } })).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ code: 'field_invalid' })] }),
  );
});

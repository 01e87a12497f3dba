import { expect, test } from 'vitest';
import { flatten } from './flatten.ts';

test('names leaves by their paths, counts lists from 1, and omits empty values', () => {
  const value = {
    a: 'x',
    b: { c: 1, d: null, e: { f: true } },
    list: ['p', 'q'],
    none: [],
    legs: [{ id: 7 }, {}],
  };
  expect(flatten(value)).toEqual([
    { name: 'a', value: 'x' },
    { name: 'b.c', value: '1' },
    { name: 'b.e.f', value: 'true' },
    { name: 'list', value: 'p, q' },
    { name: 'legs.1.id', value: '7' },
  ]);
  expect(flatten(value, new Set(['b', 'legs.1']))).toEqual([
    { name: 'a', value: 'x' },
    { name: 'list', value: 'p, q' },
  ]);
  expect(flatten(undefined)).toEqual([]);
});

test('returns 60 values at most', () => {
  expect(flatten(Array.from({ length: 500 }, (_, index) => ({ index }))).length).toBe(60);
});

import { expect, it } from 'vitest';
import { readConsoleFilter } from './filter.ts';

it('reads known filters with valid values, and ignores others', () => {
  expect(
    readConsoleFilter({ status: 'pending', type: 'gone', q: ' x ', from: '', colour: 'red' }),
  ).toEqual({ status: 'pending', q: 'x' });
});

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('ignores %s', (name) => {
  expect(readConsoleFilter(JSON.parse(`{"${name}":"1"}`) as Record<string, string>)).toEqual({});
});

import { expect, it } from 'vitest';
import { readFilter } from './filter.ts';

it('takes what makes sense and is known, and leaves the rest', () => {
  expect(
    readFilter({ status: 'pending', type: 'gone', q: ' x ', from: '', colour: 'red' }),
  ).toEqual({
    status: 'pending',
    q: 'x',
  });
});

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'knows no filter %s',
  (name) => {
    expect(readFilter(JSON.parse(`{"${name}":"1"}`) as Record<string, string>)).toEqual({});
  },
);

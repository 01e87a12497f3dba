import { expect, it } from 'vitest';
import { parseLink } from './stream-reader.ts';

it.each([
  ['3@operation-1', { revision: 3, stream: 'operation-1' }],
  ['0@a@b', { revision: 0, stream: 'a@b' }],
  ['x@a', undefined],
  ['-1@a', undefined],
  ['3@', undefined],
  ['3', undefined],
  ['', undefined],
])('parses %j of a link as %o', (data, target) => {
  expect(parseLink(Buffer.from(data))).toEqual(target);
});

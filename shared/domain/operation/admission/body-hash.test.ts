import { expect, it } from 'vitest';
import { isSameBody, type BodyHash, type RequestBodyHash } from './body-hash.ts';

const given: RequestBodyHash = { rest: 'r', personal: { key_id: 'k1', hmac: 'h' }, whole: 'w' };
const plain: RequestBodyHash = { rest: 'r', whole: 'r' };

it.each<[string, BodyHash, RequestBodyHash, boolean]>([
  ['the same', { rest: 'r', personal: { key_id: 'k1', hmac: 'h' } }, given, true],
  ['nothing personal in either', { rest: 'r' }, plain, true],
  ['another amount', { rest: 'other', personal: { key_id: 'k1', hmac: 'h' } }, given, false],
  ['another number', { rest: 'r', personal: { key_id: 'k1', hmac: 'other' } }, given, false],
  [
    'another number of a client who was erased',
    { rest: 'r', personal: { key_id: 'k0', hmac: 'o' } },
    given,
    true,
  ],
  [
    'another amount of such a client',
    { rest: 'o', personal: { key_id: 'k0', hmac: 'h' } },
    given,
    false,
  ],
  ['a number that was not there', { rest: 'r' }, given, false],
  [
    'a number that is not there any more',
    { rest: 'r', personal: { key_id: 'k1', hmac: 'h' } },
    plain,
    false,
  ],
  ['the same, of before version 3', { whole: 'w' }, given, true],
  ['another number, of before version 3', { whole: 'other' }, given, false],
  ['nothing personal, of before version 3', { whole: 'r' }, plain, true],
])('compares %s', (_what, kept, now, same) => expect(isSameBody(kept, now)).toBe(same));

import { expect, it } from 'vitest';
import { isSameBody, type BodyHash, type RequestBodyHash } from './idempotency.ts';

const request: RequestBodyHash = { rest: 'r', personal: { key_id: 'k1', hmac: 'h' }, whole: 'w' };
const plain: RequestBodyHash = { rest: 'r', whole: 'r' };

it.each<[string, BodyHash, RequestBodyHash, boolean]>([
  ['equal bodies', { rest: 'r', personal: { key_id: 'k1', hmac: 'h' } }, request, true],
  ['equal bodies without personal data', { rest: 'r' }, plain, true],
  ['another amount', { rest: 'other', personal: { key_id: 'k1', hmac: 'h' } }, request, false],
  ['another number', { rest: 'r', personal: { key_id: 'k1', hmac: 'other' } }, request, false],
  [
    'another number of an erased client',
    { rest: 'r', personal: { key_id: 'k0', hmac: 'o' } },
    request,
    true,
  ],
  [
    'another amount of an erased client',
    { rest: 'o', personal: { key_id: 'k0', hmac: 'h' } },
    request,
    false,
  ],
  ['an added number', { rest: 'r' }, request, false],
  ['a removed number', { rest: 'r', personal: { key_id: 'k1', hmac: 'h' } }, plain, false],
  ['equal bodies, stored before version 3', { whole: 'w' }, request, true],
  ['another number, stored before version 3', { whole: 'other' }, request, false],
  ['no personal data, stored before version 3', { whole: 'r' }, plain, true],
])('compares %s', (_what, stored, sent, isSame) => expect(isSameBody(stored, sent)).toBe(isSame));

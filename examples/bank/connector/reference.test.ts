import { expect, it } from 'vitest';
import { referenceIn, referenceOf } from './reference.ts';

const [one, two] = [1, 2].map((attempt) => referenceOf({ operationId: 'o', attempt })) as [
  string,
  string,
];

it.each([
  ['the first that begins a word', `${one} ${two}`, one],
  ['one that begins a word before one within a word', `x${one} ${two}`, two],
  ['the last, where none begins a word', `x${one}y${two}`, two],
  ['one behind words in other letters', `оплата${one}`, one],
  ['one in parts', `за ${two.toLowerCase().replaceAll(/(.{4})/g, '$1-')}`, two],
  ['none', 'GW is no reference', undefined],
])('a purpose contains %s', (_what, purpose, reference) => {
  expect(referenceIn(purpose)).toBe(reference);
});

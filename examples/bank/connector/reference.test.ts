import { expect, it } from 'vitest';
import { referenceIn, computeReference } from './reference.ts';

const [one, two] = [1, 2].map((attempt) => computeReference({ operationId: 'o', attempt })) as [
  string,
  string,
];

it.each([
  ['the first reference that begins a word', `${one} ${two}`, one],
  ['a reference that begins a word before one within a word', `x${one} ${two}`, two],
  ['the last reference if none begins a word', `x${one}y${two}`, two],
  ['a reference after letters of another alphabet', `оплата${one}`, one],
  ['a reference in parts', `за ${two.toLowerCase().replaceAll(/(.{4})/g, '$1-')}`, two],
  ['no reference', 'GW is no reference', undefined],
])('finds %s in a purpose', (_what, purpose, reference) => {
  expect(referenceIn(purpose)).toBe(reference);
});

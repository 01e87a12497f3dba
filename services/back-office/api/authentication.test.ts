import { expect, test } from 'vitest';
import { findHolder, firstTokens } from './authentication.ts';

test('accepts the previous first token, under the same name, only during a rotation', async () => {
  const registry = { byToken: async () => undefined };
  const holderOf = async (fixedTokens: ReturnType<typeof firstTokens>, token: string) =>
    (await findHolder({ fixedTokens, registry }, token))?.name;
  const [before, after] = ['the-first-token-as-it-was', 'the-first-token-as-it-is'];
  const rotating = firstTokens([after, before]);
  expect([await holderOf(rotating, before), await holderOf(rotating, after)]).toEqual([
    'admin',
    'admin',
  ]);
  const rotated = firstTokens([after, undefined]);
  expect([await holderOf(rotated, before), await holderOf(rotated, after)]).toEqual([
    undefined,
    'admin',
  ]);
});

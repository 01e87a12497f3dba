import { expect, test } from 'vitest';
import { findHolder, firstTokens } from './authentication.ts';

test('the first token is one, and two of one name while it is changed', async () => {
  const registry = { byToken: async () => undefined };
  const holderOf = async (fixedTokens: ReturnType<typeof firstTokens>, token: string) =>
    (await findHolder({ fixedTokens, registry }, token))?.name;
  const [before, after] = ['the-first-token-as-it-was', 'the-first-token-as-it-is'];
  const changing = firstTokens([after, before]);
  expect([await holderOf(changing, before), await holderOf(changing, after)]).toEqual([
    'admin',
    'admin',
  ]);
  const changed = firstTokens([after, undefined]);
  expect([await holderOf(changed, before), await holderOf(changed, after)]).toEqual([
    undefined,
    'admin',
  ]);
});

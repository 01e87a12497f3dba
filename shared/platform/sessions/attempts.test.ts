import { expect, test } from 'vitest';
import { createSignInAttempts } from './attempts.ts';

test('limits refused sign-ins per address and in total, until the next window', () => {
  let now = 0;
  const bounds = { windowMs: 10_000, maxPerAddress: 2, maxInAll: 4, maxAddresses: 2 };
  const attempts = createSignInAttempts(bounds, () => now);
  attempts.refused('a');
  expect(attempts.waitS('a')).toBeUndefined();
  attempts.refused('a');
  expect([attempts.waitS('a'), attempts.waitS('b')]).toEqual([10, undefined]);
  now = 4_000;
  attempts.refused('b');
  attempts.refused('b');
  expect([attempts.waitS('a'), attempts.waitS('b'), attempts.waitS('c')]).toEqual([6, 10, 6]);
  expect(['a', 'b', 'c'].map((address) => attempts.ownWaitS(address))).toEqual([6, 10, undefined]);
  now = 10_000;
  expect([attempts.waitS('a'), attempts.waitS('b'), attempts.waitS('c')]).toEqual([
    undefined,
    4,
    undefined,
  ]);
});

test('remembers no more addresses than the limit', () => {
  const attempts = createSignInAttempts({
    windowMs: 10_000,
    maxPerAddress: 1,
    maxInAll: 99,
    maxAddresses: 2,
  });
  for (const address of ['a', 'b', 'c']) attempts.refused(address);
  expect(['a', 'b', 'c'].map((address) => attempts.waitS(address) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
});

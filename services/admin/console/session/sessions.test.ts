import { expect, test } from 'vitest';
import { createAttempts } from './attempts.ts';
import { createSessions } from './sessions.ts';

const holder = (name: string) => ({ name, role: 'operator', tokenId: `token-of-${name}` }) as const;
const limits = { idleMs: 100, lifetimeMs: 250, maxSessions: 3, maxPerHolder: 2 };

test('a session is found by its secret alone, until it is closed', () => {
  const sessions = createSessions(limits);
  const [secret, other] = [sessions.open(holder('anna')), sessions.open(holder('oleg'))];
  expect(sessions.find(secret)?.holder.name).toBe('anna');
  expect(sessions.find(`${secret}x`)).toBeUndefined();
  expect(sessions.find(secret)?.formToken).not.toBe(sessions.find(other)?.formToken);
  sessions.close(secret);
  expect(sessions.find(secret)).toBeUndefined();
  expect(sessions.find(other)).toBeDefined();
});

test('it ends when nobody uses it, and after its lifetime whoever uses it', () => {
  let now = 0;
  const sessions = createSessions(limits, () => now);
  const [idle, busy] = [sessions.open(holder('idle')), sessions.open(holder('busy'))];
  for (now = 60; now < 250; now += 60) expect(sessions.find(busy)).toBeDefined();
  expect(sessions.find(idle)).toBeUndefined();
  now = 250;
  expect(sessions.find(busy)).toBeUndefined();
});

test('there are so many of one person, and so many in all: the oldest gives way', () => {
  const sessions = createSessions(limits);
  const own = [1, 2, 3].map(() => sessions.open(holder('anna')));
  expect(own.map((secret) => sessions.find(secret) !== undefined)).toEqual([false, true, true]);
  const others = ['oleg', 'ivan'].map((name) => sessions.open(holder(name)));
  expect([...own, ...others].map((secret) => sessions.find(secret) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('refused sign-ins of one address, and of all, have to wait for the next window', () => {
  let now = 0;
  const bounds = { windowMs: 10_000, maxPerAddress: 2, maxInAll: 4, maxAddresses: 2 };
  const attempts = createAttempts(bounds, () => now);
  attempts.refused('a');
  expect(attempts.waitS('a')).toBeUndefined();
  attempts.refused('a');
  expect([attempts.waitS('a'), attempts.waitS('b')]).toEqual([10, undefined]);
  now = 4_000;
  attempts.refused('b');
  attempts.refused('b');
  expect([attempts.waitS('a'), attempts.waitS('b'), attempts.waitS('c')]).toEqual([6, 10, 6]);
  now = 10_000;
  expect([attempts.waitS('a'), attempts.waitS('b'), attempts.waitS('c')]).toEqual([undefined, 4, undefined]);
});

test('no more addresses are remembered than the bound', () => {
  const attempts = createAttempts({ windowMs: 10_000, maxPerAddress: 1, maxInAll: 99, maxAddresses: 2 });
  for (const address of ['a', 'b', 'c']) attempts.refused(address);
  expect(['a', 'b', 'c'].map((address) => attempts.waitS(address) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
});

import { expect, it } from 'vitest';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { createSimulatedTimers } from './timers.ts';

it('returns timers by time, then by order of setting, without cleared ones', () => {
  const random = createRandom(1);
  const timers = createSimulatedTimers();
  const set = Array.from({ length: 500 }, () => timers.set(random.below(50), () => undefined));
  const cleared = new Set(set.filter(() => random.chance(0.3)));
  for (const timer of cleared) timers.clear(timer);
  const expected = set
    .filter((timer) => !cleared.has(timer))
    .toSorted((left, right) => left.atMs - right.atMs);
  expect(cleared.size).toBeGreaterThan(0);
  expect(Array.from({ length: expected.length }, () => timers.next())).toEqual(expected);
  expect(timers.next()).toBeUndefined();
});

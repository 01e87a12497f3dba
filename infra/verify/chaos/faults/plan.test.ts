import { expect, it } from 'vitest';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { tellStory } from '../load/stories.ts';
import { links } from '#infra/verify/harness/stacks/proxied-stack.ts';
import { planFaults, processNames, usualPaceMs } from './plan.ts';

it('plans the same faults and stories for the same seed only', () => {
  const plan = (seed: number) =>
    planFaults(createRandom(seed), { forMs: 60_000, instances: 1, paceMs: usualPaceMs });
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
  expect(tellStory(7, 3)).toEqual(tellStory(7, 3));
  expect(tellStory(7, 3)).not.toEqual(tellStory(8, 3));
});

it.each([10_000, 60_000, 600_000])('kills every process within %i ms', (forMs) => {
  const plan = planFaults(createRandom(1), { forMs, instances: 1, paceMs: usualPaceMs });
  const killed = new Set(plan.flatMap((fault) => (fault.what === 'kill' ? [fault.process] : [])));
  expect([...killed].toSorted()).toEqual(processNames(1).toSorted());
  expect(plan.every(({ atMs }) => atMs >= 0 && atMs <= forMs)).toBe(true);
  expect(plan.map(({ atMs }) => atMs)).toEqual(
    plan.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
  );
});

it('plans every fault in a long run, and a freeze that only the supervisor ends', () => {
  const plan = planFaults(createRandom(1), { forMs: 600_000, instances: 2, paceMs: usualPaceMs });
  const made = new Set(
    plan.map((fault) => `${fault.what} ${'process' in fault ? fault.process : fault.link}`),
  );
  expect(made.size).toBe(2 * processNames(2).length + 3 * links.length);
  expect(plan.some((fault) => fault.what === 'freeze' && fault.forMs > 20_000)).toBe(true);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNumbered, type Numbered } from './numbered.ts';

type Step = 'add' | 'takeOldest' | { take: number };

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Step>('add') },
    fc.constant<Step>('takeOldest'),
    fc.record({ take: fc.integer({ min: -1, max: 400 }) }),
  ),
  { maxLength: 800, size: 'max' },
);

/** The same in a map, which keeps the order in which its entries came. */
function createModel(): Numbered<string> {
  const kept = new Map<number, string>();
  let next = 0;
  const take = (number: number) => {
    const item = kept.get(number);
    kept.delete(number);
    return item;
  };
  return {
    get next() {
      return next;
    },
    add: (item) => {
      kept.set(next, item);
      next += 1;
    },
    take,
    oldest: () => kept.values().next().value,
    takeOldest: () => take(kept.keys().next().value ?? -1),
  };
}

/** What each step gave, the oldest after it, and the next number. */
function run(numbered: Numbered<string>, all: readonly Step[]): unknown[] {
  const once = (step: Step, index: number) => {
    if (step === 'add') return numbered.add(`item ${index}`);
    return step === 'takeOldest' ? numbered.takeOldest() : numbered.take(step.take);
  };
  return all.map((step, index) => [once(step, index), numbered.oldest(), numbered.next]);
}

it('gives back what a map would, in whichever order it is taken', () => {
  fc.assert(
    fc.property(steps, (all) => {
      expect(run(createNumbered(), all)).toEqual(run(createModel(), all));
    }),
  );
});

it('takes nothing under what is no number', () => {
  const numbered = createNumbered<string>();
  numbered.add('item');
  for (const none of [NaN, 1, -1, 0.5]) expect(numbered.take(none)).toBeUndefined();
  expect(numbered.take(0)).toBe('item');
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNumbered, type NumberedItems } from './numbered.ts';

type Step = 'add' | 'takeOldest' | { take: number };

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Step>('add') },
    fc.constant<Step>('takeOldest'),
    fc.record({ take: fc.integer({ min: -1, max: 400 }) }),
  ),
  { maxLength: 800, size: 'max' },
);

/** A reference model with a map, which iterates in insertion order. */
function createModel(): NumberedItems<string> {
  const items = new Map<number, string>();
  let next = 0;
  const take = (number: number) => {
    const item = items.get(number);
    items.delete(number);
    return item;
  };
  return {
    get next() {
      return next;
    },
    add: (item) => {
      items.set(next, item);
      next += 1;
    },
    take,
    oldest: () => items.values().next().value,
    takeOldest: () => take(items.keys().next().value ?? -1),
  };
}

/** The result of each step, with the oldest item and the next number after it. */
function run(numbered: NumberedItems<string>, all: readonly Step[]): unknown[] {
  const once = (step: Step, index: number) => {
    if (step === 'add') return numbered.add(`item ${index}`);
    return step === 'takeOldest' ? numbered.takeOldest() : numbered.take(step.take);
  };
  return all.map((step, index) => [once(step, index), numbered.oldest(), numbered.next]);
}

it('matches a map in any order of removal', () => {
  fc.assert(
    fc.property(steps, (all) => {
      expect(run(createNumbered(), all)).toEqual(run(createModel(), all));
    }),
  );
});

it('returns undefined for numbers that are not in use', () => {
  const numbered = createNumbered<string>();
  numbered.add('item');
  for (const unused of [NaN, 1, -1, 0.5]) expect(numbered.take(unused)).toBeUndefined();
  expect(numbered.take(0)).toBe('item');
});

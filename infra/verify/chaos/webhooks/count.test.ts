import { describe, expect, it } from 'vitest';
import { otherBytes, outOfOrder, type Counted } from '../checks/webhooks.ts';
import { repeats, strayRepeats } from './count.ts';
import { createRandom } from '#infra/verify/harness/random.ts';

/**
 * `a1@3-5`: the first webhook of operation a came at 3 and was taken at 5; `a1@3` was not taken.
 */
const arrivals = (...texts: string[]): Counted[] =>
  texts.map((text) => {
    const [, operationId = '', sequence, arrivedAt, takenAt] =
      /^(\w)(\d)@(\d+)(?:-(\d+))?$/.exec(text) ?? [];
    return {
      id: `${operationId}${sequence}`,
      operationId,
      sequence: Number(sequence),
      arrivedAt: Number(arrivedAt),
      takenAt: takenAt === undefined ? undefined : Number(takenAt),
    };
  });
const owed = ['a1', 'a2', 'b1'].map((id) => ({
  id,
  operationId: id.slice(0, 1),
  sequence: Number(id.slice(1)),
}));

it('counts messages that came with other bytes', () => {
  const came = (id: string, ...bodies: string[]) => bodies.map((body) => ({ id, body }));
  expect(
    otherBytes([...came('a1', 'x', 'x'), ...came('a2', 'x', 'y', 'x'), ...came('b1', 'z')]),
  ).toBe(1);
});

describe('a repeat', () => {
  it('is what comes after it was taken, and no retry', () => {
    expect(repeats(arrivals('a1@1', 'a1@2-3', 'b1@4-5'))).toEqual([]);
    expect(repeats(arrivals('a1@1-2', 'a1@3-4', 'a1@5'))).toEqual(['a1', 'a1']);
    // Two that are under way at once: neither was taken when the other came.
    expect(repeats(arrivals('a1@1-4', 'a1@2-3'))).toEqual([]);
  });
});

describe('a repeat that nothing explains', () => {
  it('is of what was not in flight, or more often than it was', () => {
    const thrice = arrivals('a1@1-2', 'a1@3-4', 'a1@5-6', 'b1@7-8');
    expect(strayRepeats(thrice, new Map([['a1', 2]]))).toBe(0);
    expect(strayRepeats(thrice, new Map([['a1', 1]]))).toBe(1);
    expect(strayRepeats(thrice, new Map())).toBe(1);
    // Refused when it came again, and so once more.
    expect(strayRepeats(arrivals('a1@1-2', 'a1@3', 'a1@4-5'), new Map([['a1', 1]]))).toBe(0);
    expect(strayRepeats(arrivals('a1@1', 'a1@2-3', 'a2@4-5'), new Map())).toBe(0);
  });
});

describe('the order within an operation', () => {
  it.each([
    ['retries and repeats', ['a1@1', 'a1@2-3', 'a1@4-5', 'b1@6-7', 'a2@8-9'], 0],
    ['a successor before its predecessor was taken', ['a1@1', 'a2@2-3', 'a1@4-5'], 2],
    ['a successor before its predecessor was answered', ['a1@1-4', 'a2@2-3'], 1],
    ['a predecessor again after its successor', ['a1@1-2', 'a2@3', 'a1@4-5', 'a2@6-7'], 1],
    ['what nobody owes', ['c1@1-2'], 1],
  ])('counts %s', (_name, texts, wrong) =>
    expect(outOfOrder(arrivals(...texts), owed)).toBe(wrong),
  );
});

it('a seed repeats its choices, and another makes others', () => {
  const choices = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 50 }, () => random.below(1_000));
  };
  expect(choices(7)).toEqual(choices(7));
  expect(choices(7)).not.toEqual(choices(8));
  expect(Math.max(...choices(7))).toBeLessThan(1_000);
  expect(createRandom(7).shuffled(['a', 'b', 'c']).toSorted()).toEqual(['a', 'b', 'c']);
});

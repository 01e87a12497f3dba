import { describe, expect, it } from 'vitest';
import { otherBytes, outOfOrder, type ArrivalRecord } from '../checks/webhooks.ts';
import { repeats, strayRepeats } from './count.ts';
import { createRandom } from '#infra/verify/harness/tests/random.ts';

/** `a1@3-5`: webhook 1 of operation a arrived at 3, accepted at 5; `a1@3`: not accepted. */
const arrivals = (...texts: string[]): ArrivalRecord[] =>
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
const required = ['a1', 'a2', 'b1'].map((id) => ({
  id,
  operationId: id.slice(0, 1),
  sequence: Number(id.slice(1)),
}));

it('counts messages whose deliveries differ in their bytes', () => {
  const came = (id: string, ...bodies: string[]) => bodies.map((body) => ({ id, body }));
  expect(
    otherBytes([...came('a1', 'x', 'x'), ...came('a2', 'x', 'y', 'x'), ...came('b1', 'z')]),
  ).toBe(1);
});

describe('a repeat', () => {
  it('is a delivery after an accepted one, not a retry', () => {
    expect(repeats(arrivals('a1@1', 'a1@2-3', 'b1@4-5'))).toEqual([]);
    expect(repeats(arrivals('a1@1-2', 'a1@3-4', 'a1@5'))).toEqual(['a1', 'a1']);
    // Concurrent deliveries: neither was accepted when the other arrived.
    expect(repeats(arrivals('a1@1-4', 'a1@2-3'))).toEqual([]);
  });
});

describe('an unexplained repeat', () => {
  it('is of a message that was not in flight, or exceeds the times that it was', () => {
    const thrice = arrivals('a1@1-2', 'a1@3-4', 'a1@5-6', 'b1@7-8');
    expect(strayRepeats(thrice, new Map([['a1', 2]]))).toBe(0);
    expect(strayRepeats(thrice, new Map([['a1', 1]]))).toBe(1);
    expect(strayRepeats(thrice, new Map())).toBe(1);
    // The repeat was rejected, and therefore retried.
    expect(strayRepeats(arrivals('a1@1-2', 'a1@3', 'a1@4-5'), new Map([['a1', 1]]))).toBe(0);
    expect(strayRepeats(arrivals('a1@1', 'a1@2-3', 'a2@4-5'), new Map())).toBe(0);
  });
});

describe('the order within an operation', () => {
  it.each([
    ['retries and repeats', ['a1@1', 'a1@2-3', 'a1@4-5', 'b1@6-7', 'a2@8-9'], 0],
    ['a successor before its predecessor was accepted', ['a1@1', 'a2@2-3', 'a1@4-5'], 2],
    ['a successor before its predecessor was answered', ['a1@1-4', 'a2@2-3'], 1],
    ['a predecessor again after its successor', ['a1@1-2', 'a2@3', 'a1@4-5', 'a2@6-7'], 1],
    ['an unexpected webhook', ['c1@1-2'], 1],
  ])('counts %s', (_name, texts, wrong) =>
    expect(outOfOrder(arrivals(...texts), required)).toBe(wrong),
  );
});

it('makes the same random choices for the same seed only', () => {
  const choices = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 50 }, () => random.below(1_000));
  };
  expect(choices(7)).toEqual(choices(7));
  expect(choices(7)).not.toEqual(choices(8));
  expect(Math.max(...choices(7))).toBeLessThan(1_000);
  expect(createRandom(7).shuffled(['a', 'b', 'c']).toSorted()).toEqual(['a', 'b', 'c']);
});

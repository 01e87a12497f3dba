import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { planDay, plantable, type Plan } from './testing/plan-day.ts';
import { match } from './match.ts';

const plans: fc.Arbitrary<Plan> = fc.record({
  legs: fc.array(
    fc.record({
      minor: fc.integer({ min: 1, max: 1_000_000 }),
      direction: fc.constantFrom('in' as const, 'out' as const),
      named: fc.boolean(),
      hour: fc.integer({ min: 0, max: 23 }),
      plant: fc.option(fc.constantFrom(...plantable), { nil: undefined }),
    }),
    { maxLength: 30 },
  ),
  unmatchedLines: fc.array(
    fc.constantFrom('fee', 'settlement', 'other', 'unknown_line', 'return_not_reported'),
    {
      maxLength: 4,
    },
  ),
  balanceDiffers: fc.boolean(),
  order: fc.array(fc.nat(), { maxLength: 30 }),
});

it('finds exactly the planted differences of a day, in any order (R22.3)', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { input, planted, confirmed } = planDay(plan);
      const result = match(input);
      expect(result.findings.map(({ id }) => id).toSorted()).toEqual(planted.toSorted());
      expect(result.confirmed.map(({ legId }) => legId).toSorted()).toEqual(confirmed.toSorted());
    }),
    { numRuns: 500 },
  );
});

import { describe, expect, it } from 'vitest';
import { simulate } from './run.ts';

const timeoutMs = 60_000;

describe('a simulated schedule', () => {
  it(
    'is the same again for the same seed, whatever ran before it',
    async () => {
      const first = await simulate(11);
      await simulate(12);
      expect(await simulate(11)).toEqual(first);
    },
    timeoutMs,
  );

  it(
    'breaks no rule, with all the faults that it has',
    async () => {
      let crashes = 0;
      for (const seed of [1, 2, 3, 4]) {
        const outcome = await simulate(seed);
        expect(outcome.findings).toEqual([]);
        crashes += outcome.crashes;
      }
      expect(crashes).toBeGreaterThan(0);
    },
    timeoutMs,
  );
});

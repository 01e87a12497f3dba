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
    'breaks no rule, with all the faults and providers that it has',
    async () => {
      let crashes = 0;
      const without = new Set(['simulated', 'other', 'polled', 'bank']);
      for (const seed of [1, 2, 3, 4]) {
        const outcome = await simulate(seed);
        expect(outcome.findings).toEqual([]);
        crashes += outcome.crashes;
        for (const [name, count] of outcome.attempts) if (count > 0) without.delete(name);
      }
      expect(crashes).toBeGreaterThan(0);
      expect([...without]).toEqual([]);
    },
    timeoutMs,
  );
});

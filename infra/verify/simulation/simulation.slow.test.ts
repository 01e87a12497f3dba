import { describe, expect, it } from 'vitest';
import { simulate } from './run.ts';

describe('a simulated schedule', () => {
  it('is reproducible by its seed, whatever ran before', async () => {
    const first = await simulate(11);
    await simulate(12);
    expect(await simulate(11)).toEqual(first);
  });

  it('has no violation, with crashes and every provider', async () => {
    let crashes = 0;
    const unusedProviders = new Set(['simulated', 'other', 'polled', 'bank']);
    for (const seed of [1, 2, 3, 4]) {
      const outcome = await simulate(seed);
      expect(outcome.findings).toEqual([]);
      crashes += outcome.crashes;
      for (const [name, count] of outcome.attempts) if (count > 0) unusedProviders.delete(name);
    }
    expect(crashes).toBeGreaterThan(0);
    expect([...unusedProviders]).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { describeFound } from './describe.ts';
import { plants } from './plants.ts';
import { search } from './search.ts';
import { operationKinds } from './world.ts';

describe('a search over orders of events, shortest first', () => {
  it.each(operationKinds)('finds no violation for a %s', (kind) => {
    const result = search(kind, { maxStates: 5_000 });
    expect(result.violation).toBeUndefined();
    expect(result.states).toBeGreaterThan(1_000);
    expect(result.depth).toBeGreaterThan(5);
  });

  it.each(plants)('finds that $name', ({ kind, broken }) => {
    const result = search(kind, { maxStates: 20_000, broken });
    expect(result.violation).toBeDefined();
    const text = describeFound(kind, result);
    expect(text).toMatch(/^given\(\n {2}\/\/ a c/m);
    expect(text).toMatch(/^\.when\('/m);
  });
});

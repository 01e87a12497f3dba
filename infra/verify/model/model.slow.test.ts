import { describe, expect, it } from 'vitest';
import { describeFound } from './describe.ts';
import { plants } from './plants.ts';
import { search } from './search.ts';
import { kinds } from './world.ts';

describe('every order of events, the shortest first', () => {
  it.each(kinds)('keeps the rules: a %s', (kind) => {
    const found = search(kind, { maxStates: 5_000 });
    expect(found.violation).toBeUndefined();
    expect(found.states).toBeGreaterThan(1_000);
    expect(found.depth).toBeGreaterThan(5);
  });

  it.each(plants)('finds that $name', ({ kind, rules }) => {
    const found = search(kind, { maxStates: 20_000, rules });
    expect(found.violation).toBeDefined();
    const text = describeFound(kind, found);
    expect(text).toMatch(/^given\(\n {2}\/\/ a c/m);
    expect(text).toMatch(/^\.when\('/m);
  });
});

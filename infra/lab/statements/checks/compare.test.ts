import { describe, expect, it } from 'vitest';
import type { PlannedLine } from '../plan/planned.ts';
import { compare, differenceOf, keyOfPlanted } from './compare.ts';

const of = { provider: 'sandbox', account: 'default', currency: 'RUB', day: '2026-01-31' };
const line = (number: number, legId: string) => ({
  line: number,
  kind: 'transfer' as const,
  direction: 'in' as const,
  leg_id: legId,
  amount: '1.00',
  completed_at: '2026-01-31T12:00:00.000Z',
});
const planned = (legId: string, change: Partial<PlannedLine> = {}): PlannedLine => ({
  kind: 'transfer',
  direction: 'in',
  legId,
  minor: 100,
  atMs: Date.parse('2026-01-31T12:00:00.000Z'),
  currency: 'RUB',
  ...change,
});

describe('what was found', () => {
  it('is what was planted', () => {
    expect(compare(['a', 'b'], ['b', 'a'])).toEqual({
      planted: 2,
      found: 2,
      missed: [],
      surplus: [],
    });
  });

  it('lacks one, has one that nobody planted, or has one twice', () => {
    expect(compare(['a', 'b'], ['a'])).toMatchObject({ missed: ['b'], surplus: [] });
    expect(compare(['a'], ['a', 'c'])).toMatchObject({ missed: [], surplus: ['c'] });
    expect(compare(['a'], ['a', 'a'])).toMatchObject({ missed: [], surplus: ['a'] });
  });

  it('of a line that stands there twice is its second', () => {
    const lines = [line(1, 'x'), line(2, 'y'), line(3, 'x')];
    const key = (finding: 'duplicate_line' | 'amount_differs') =>
      keyOfPlanted({ of, finding, legId: 'x', operationId: 'o', how: 'test' }, lines);
    const stream = 'statement-sandbox.default.RUB.2026-01-31';
    expect(key('duplicate_line')).toBe(`${stream} duplicate_line:x:3`);
    expect(key('amount_differs')).toBe(`${stream} amount_differs@o:x`);
  });
});

describe('a statement that came in', () => {
  it('is what its provider was to say, in whatever order', () => {
    const lines = [line(1, 'x'), line(2, 'y'), line(3, 'x')];
    const wanted = [planned('y'), planned('x', { twice: true }), planned('z', { currency: 'USD' })];
    expect(differenceOf({ of, lines }, wanted)).toBeUndefined();
  });

  it.each([
    ['a line too few', [line(1, 'x')], [planned('x'), planned('y')]],
    ['a line too many', [line(1, 'x'), line(2, 'y')], [planned('x')]],
    ['another amount', [line(1, 'x')], [planned('x', { minor: 101 })]],
  ])('has %s', (_what, lines, wanted) => {
    expect(differenceOf({ of, lines }, wanted)).toContain('lines came');
  });
});

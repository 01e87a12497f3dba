import { describe, expect, it } from 'vitest';
import { storedEvents } from '../testing/stored-events.ts';
import { isRepeat } from './row-per-stream.ts';

const [first, second, third] = storedEvents('operation-1', [
  { type: 'A', data: {} },
  { type: 'B', data: {} },
  { type: 'C', data: {} },
]) as [
  ReturnType<typeof storedEvents>[0],
  ReturnType<typeof storedEvents>[0],
  ReturnType<typeof storedEvents>[0],
];

const rowAfter = (event: typeof first) => ({
  revision: event.revision,
  position: String(event.position),
});

describe('the next event of a stream', () => {
  it('has revision 0 without a row, then always the next revision', () => {
    expect(isRepeat(undefined, first)).toBe(false);
    expect(isRepeat(rowAfter(first), second)).toBe(false);
  });

  it('is a repeat if the row already has its revision and position', () => {
    expect(isRepeat(rowAfter(second), second)).toBe(true);
    expect(isRepeat(rowAfter(second), first)).toBe(true);
  });

  it('is rejected after a gap', () => {
    expect(() => isRepeat(undefined, second)).toThrow(/expected revision 0 .* met revision 1/);
    expect(() => isRepeat(rowAfter(first), third)).toThrow(/expected revision 1 .* met revision 2/);
  });

  it('is rejected if it conflicts with the revision or position of the row', () => {
    expect(() => isRepeat(rowAfter(first), { ...first, position: 900n })).toThrow(/met revision 0/);
    expect(() => isRepeat(rowAfter(second), { ...third, position: 1n })).toThrow(/met revision 2/);
  });
});

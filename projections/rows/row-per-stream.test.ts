import { describe, expect, it } from 'vitest';
import { storedEvents } from '../testing/stored-events.ts';
import { isRepeatedEvent } from './row-per-stream.ts';

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
    expect(isRepeatedEvent(undefined, first)).toBe(false);
    expect(isRepeatedEvent(rowAfter(first), second)).toBe(false);
  });

  it('is a repeat if the row already has its revision and position', () => {
    expect(isRepeatedEvent(rowAfter(second), second)).toBe(true);
    expect(isRepeatedEvent(rowAfter(second), first)).toBe(true);
  });

  it('is rejected after a gap', () => {
    expect(() => isRepeatedEvent(undefined, second)).toThrow(
      /expected revision 0 .* met revision 1/,
    );
    expect(() => isRepeatedEvent(rowAfter(first), third)).toThrow(
      /expected revision 1 .* met revision 2/,
    );
  });

  it('is rejected if it conflicts with the revision or position of the row', () => {
    expect(() => isRepeatedEvent(rowAfter(first), { ...first, position: 900n })).toThrow(
      /met revision 0/,
    );
    expect(() => isRepeatedEvent(rowAfter(second), { ...third, position: 1n })).toThrow(
      /met revision 2/,
    );
  });
});

import { describe, expect, test } from 'vitest';
import { growingPercent } from './once-started.ts';

const megabytes = (count: number) => count * 1024 * 1024;

describe('how far what is old may grow', () => {
  test('by the headroom, whatever lives', () => {
    expect(growingPercent(megabytes(128), megabytes(16))).toBe(800);
    expect(growingPercent(megabytes(128), megabytes(40))).toBe(320);
  });

  test('by as much again, where more lives than the headroom is, or none is asked for', () => {
    expect(growingPercent(megabytes(128), megabytes(500))).toBe(100);
    expect(growingPercent(0, megabytes(40))).toBe(100);
  });
});

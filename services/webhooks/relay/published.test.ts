import { describe, expect, it } from 'vitest';
import { createPublishedPointers } from './published.ts';

describe('the position consumed from the stream', () => {
  it('is the last position published by then', () => {
    const places = createPublishedPointers();
    places.note({ at: { position: 10n }, sequence: 1 });
    places.note({ at: { position: 25n }, sequence: 1 });
    places.note({ at: { position: 40n }, sequence: 7 });
    expect(places.positionUpTo(0)).toBeUndefined();
    expect(places.positionUpTo(6)).toEqual({ position: 25n });
    expect(places.positionUpTo(6)).toBeUndefined();
    expect(places.positionUpTo(7)).toEqual({ position: 40n });
    expect(places.positionUpTo(9)).toBeUndefined();
  });

  it('is never reported too high, however many positions are dropped', () => {
    const places = createPublishedPointers(4);
    for (let at = 1; at <= 100; at += 1)
      places.note({ at: { position: BigInt(at) }, sequence: at });
    const said = [3, 20, 60, 99, 100].map((sequence) => ({
      sequence,
      position: places.positionUpTo(sequence)?.position,
    }));
    for (const { sequence, position } of said)
      expect(Number(position ?? 0)).toBeLessThanOrEqual(sequence);
    expect(said.some(({ position }) => position !== undefined)).toBe(true);
  });
});

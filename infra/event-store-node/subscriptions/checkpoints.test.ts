import { describe, expect, it } from 'vitest';
import { createCheckpoints } from './checkpoints.ts';

const start = { commit: 500, prepare: 0 };

describe('checkpoints', () => {
  it('are sent at every n-th live event', () => {
    const checkpoints = createCheckpoints(10);
    const due = Array.from({ length: 40 }, (_, index) => checkpoints.afterLive(index + 1)).filter(
      Boolean,
    );
    expect(due.map((position) => position?.commit)).toEqual([10, 20, 30, 40]);
    expect(due[0]).toEqual({ commit: 10, prepare: 10 });
  });

  it('continue the count of the catch-up', () => {
    const checkpoints = createCheckpoints(10);
    expect(checkpoints.afterPage({ considered: 2, start, lastMatch: undefined })).toBeUndefined();
    const due = Array.from(
      { length: 40 },
      (_, index) => checkpoints.afterLive(index + 1)?.commit,
    ).filter(Boolean);
    expect(due).toEqual([8, 18, 28, 38]);
  });

  it('of a page are at its last match, or else at its start', () => {
    const checkpoints = createCheckpoints(32);
    expect(checkpoints.afterPage({ considered: 32, start, lastMatch: 640 })).toEqual({
      commit: 640,
      prepare: 640,
    });
    expect(checkpoints.afterPage({ considered: 32, start, lastMatch: undefined })).toEqual(start);
  });

  it('are sent once a page at most, and carry the remainder over', () => {
    const checkpoints = createCheckpoints(10);
    expect(checkpoints.afterPage({ considered: 29, start, lastMatch: 1 })).toBeDefined();
    expect(checkpoints.afterLive(2)).toEqual({ commit: 2, prepare: 2 });
  });
});

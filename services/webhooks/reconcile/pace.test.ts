import { describe, expect, it } from 'vitest';
import { createPace } from './pace.ts';

const second = 1_000;
const writtenAt = (...seconds: number[]) =>
  seconds.map((at) => ({ created: new Date(at * second) }));

describe('the pace of the reconciliation', () => {
  it('reads the log at a multiple of the speed at which it was written', () => {
    const pace = createPace({ until: 30 * second, everyMs: 30 * second, speed: 3 });
    expect(pace.restMs(writtenAt(0, 3), 0)).toBe(1 * second);
    expect(pace.restMs(writtenAt(3, 9), 1 * second)).toBe(2 * second);
  });

  it('does not pause if it is slower than that', () => {
    const pace = createPace({ until: 30 * second, everyMs: 30 * second, speed: 3 });
    pace.restMs(writtenAt(0), 0);
    expect(pace.restMs(writtenAt(1, 2), 5 * second)).toBe(0);
  });

  it('finishes within its interval, however far behind it is', () => {
    const hour = 3_600;
    const pace = createPace({ until: hour * second, everyMs: 30 * second, speed: 3 });
    expect(pace.restMs(writtenAt(0, hour), 0)).toBe(30 * second);
  });

  it('does not pause if there was nothing to read', () => {
    const pace = createPace({ until: 30 * second, everyMs: 30 * second, speed: 3 });
    expect(pace.restMs([], 0)).toBe(0);
  });
});

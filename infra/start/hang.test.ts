import { describe, expect, it } from 'vitest';
import { createHangDetector } from './hang.ts';

const activity = (ticks: number, switches: number, isBusy = false) => ({ ticks, switches, isBusy });
const silent = { answered: false } as const;

/** A detector of a process whose start took 100 ticks of processor time. */
function startedDetector() {
  const detector = createHangDetector();
  detector.started(activity(100, 50));
  detector.check({ answered: true, activity: activity(100, 50) });
  return detector;
}

describe('a process that does not answer', () => {
  it('may be waiting for a processor or the disk for ever (R19.10)', () => {
    const detector = startedDetector();
    for (let check = 0; check < 1000; check += 1)
      expect(detector.check({ ...silent, activity: activity(100, 50, true) })).toBeUndefined();
  });

  it('may do little, on a machine that gives it little (R19.10)', () => {
    const detector = startedDetector();
    for (let check = 1; check <= 1000; check += 1)
      expect(detector.check({ ...silent, activity: activity(100 + check, 50 + check) })).toBe(
        undefined,
      );
  });

  it('hangs if its threads have not run at four checks in a row (R19.10)', () => {
    const detector = startedDetector();
    const still = { ...silent, activity: activity(100, 50) };
    expect([1, 2, 3, 4].map(() => detector.check(still) !== undefined)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('does not hang because the machine was suspended, once or repeatedly (R19.10)', () => {
    const detector = startedDetector();
    for (let pause = 1; pause <= 10; pause += 1) {
      // The check that ends the pause comes before the process runs again.
      const activityBefore = activity(100, 50 + pause - 1);
      expect(detector.check({ ...silent, activity: activityBefore })).toBeUndefined();
      expect(detector.check({ answered: true, activity: activity(100, 50 + pause) })).toBe(
        undefined,
      );
    }
  });

  it('hangs if it has worked for as long as 30 starts take (R19.10)', () => {
    const detector = startedDetector();
    const after = (ticks: number) =>
      detector.check({ ...silent, activity: activity(100 + ticks, 50 + ticks) });
    expect(after(3000)).toBeUndefined();
    expect(after(3001)).toBeDefined();
  });

  it('may work for long before it is ready (R19.10)', () => {
    const detector = createHangDetector();
    for (let check = 1; check <= 100; check += 1)
      expect(detector.check({ ...silent, activity: activity(check * 10_000, check) })).toBe(
        undefined,
      );
  });
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createTimerAlarm } from './alarm.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs once, at the earliest of the times it was set for', () => {
  const run = vi.fn<() => void>();
  const alarm = createTimerAlarm(run, logger);
  alarm.within(100);
  alarm.within(20);
  alarm.within(50);
  vi.advanceTimersByTime(19);
  expect(run).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(1_000);
  expect(run).toHaveBeenCalledTimes(1);
});

it('is not postponed by being set repeatedly', () => {
  const run = vi.fn<() => void>();
  const alarm = createTimerAlarm(run, logger);
  for (let index = 0; index < 50; index += 1) {
    alarm.within(5);
    vi.advanceTimersByTime(1);
  }
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(8);
});

it('retries after a failure, but never runs after stop()', () => {
  const run = vi.fn<() => void>(() => {
    throw new Error('no');
  });
  const alarm = createTimerAlarm(run, logger);
  alarm.within(0);
  vi.advanceTimersByTime(1_100);
  expect(run).toHaveBeenCalledTimes(2);
  alarm.stop();
  alarm.within(0);
  vi.advanceTimersByTime(10_000);
  expect(run).toHaveBeenCalledTimes(2);
});

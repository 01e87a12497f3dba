import { expect, it, onTestFinished, vi } from 'vitest';
import { createPause, waitUntil } from './wait-until.ts';

it('pauses after a check during which the alarm rang', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const alarm = createPause();
  let checks = 0;
  // A program that prints a line for each check must not be checked without a pause.
  const check = () => {
    checks += 1;
    alarm.ring();
    return checks === 3;
  };
  const ready = waitUntil('it is ready', check, { timeoutMs: 60_000, intervalMs: 100, alarm });
  await vi.advanceTimersByTimeAsync(99);
  expect(checks).toBe(1);
  await vi.advanceTimersByTimeAsync(101);
  await ready;
  expect(checks).toBe(3);
});

it('checks again at once when the alarm rings in a pause', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const alarm = createPause();
  let isReady = false;
  const ready = waitUntil('it is ready', () => isReady, {
    timeoutMs: 60_000,
    intervalMs: 50_000,
    alarm,
  });
  await vi.advanceTimersByTimeAsync(1);
  isReady = true;
  alarm.ring();
  await expect(ready).resolves.toBeUndefined();
});

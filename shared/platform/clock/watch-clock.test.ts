import { expect, it, vi } from 'vitest';
import { createMetrics } from '../http/metrics.ts';
import type { Logger } from '../logging/logger.ts';
import { createJumpDetector, watchClock } from './watch-clock.ts';

/** Clocks of which each reading takes a time. */
function createClocks(perReadingMs = 0) {
  const clocks = { wallMs: 1_000_000, elapsedMs: 0 };
  const pass = (ms: number) => {
    clocks.wallMs += ms;
    clocks.elapsedMs += ms;
  };
  return {
    pass,
    set: (byMs: number) => {
      clocks.wallMs += byMs;
    },
    now: () => {
      pass(perReadingMs);
      return clocks.wallMs;
    },
    elapsed: () => {
      pass(perReadingMs);
      return clocks.elapsedMs;
    },
  };
}

it('detects how far a clock was set, forward and back', () => {
  const clocks = createClocks();
  const readJump = createJumpDetector(clocks);
  clocks.pass(5_000);
  expect(readJump()).toBe(0);
  clocks.pass(5_000);
  clocks.set(86_400_000);
  expect(readJump()).toBe(86_400_000);
  clocks.set(-86_400_000);
  expect(readJump()).toBe(-86_400_000);
  clocks.pass(5_000);
  expect(readJump()).toBe(0);
});

it('takes no slow process for a clock that was set', () => {
  const clocks = createClocks(3_000);
  const readJump = createJumpDetector(clocks);
  expect(readJump()).toBe(0);
  clocks.pass(60_000);
  expect(readJump()).toBe(0);
});

it('logs and counts each time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const clocks = createClocks();
  const metrics = createMetrics('test');
  const lines: unknown[] = [];
  const logger = { error: (...line: unknown[]) => lines.push(line) } as unknown as Logger;
  const { stop } = watchClock({ logger, metrics }, clocks);
  clocks.set(-27_000);
  vi.advanceTimersByTime(5_000);
  clocks.pass(5_000);
  vi.advanceTimersByTime(5_000);
  stop();
  vi.useRealTimers();
  expect(lines).toEqual([[{ jumped_ms: -27_000 }, 'the clock of the machine was set']]);
  expect(await metrics.getSingleMetricAsString('gateway_clock_jumps_total')).toContain(' 1');
});

import { Counter } from 'prom-client';
import type { Metrics } from '../http/metrics.ts';
import type { Logger } from '../logging/logger.ts';

const everyMs = 5_000;
/** NTP slews a clock by less, and steps it by more. */
const jumpMs = 1_000;

type Clocks = {
  /** Epoch milliseconds, by the machine's clock. */
  now(): number;
  /** Milliseconds of a clock that is never set. */
  elapsed(): number;
};

/** The machine's time, and bounds of the moment when it was read. */
type Sample = { nowMs: number; earliest: number; latest: number };

/**
 * How far the machine's clock was set since the last call, in milliseconds; 0 as far as the time
 * between two readings explains the difference.
 */
export function createJumpDetector({ now, elapsed }: Clocks): () => number {
  const sample = (): Sample => {
    const earliest = elapsed();
    const nowMs = now();
    return { nowMs, earliest, latest: elapsed() };
  };
  let last = sample();
  return () => {
    const next = sample();
    const passed = next.nowMs - last.nowMs;
    const [least, most] = [next.earliest - last.latest, next.latest - last.earliest];
    last = next;
    return passed - Math.min(Math.max(passed, least), most);
  };
}

/** Logs and counts when the machine's clock is set, or the machine was suspended. */
export function watchClock(
  { logger, metrics }: { logger: Logger; metrics: Metrics },
  clocks: Clocks = { now: Date.now, elapsed: performance.now.bind(performance) },
): { stop(): void } {
  const jumps = new Counter({
    name: 'gateway_clock_jumps_total',
    help: 'How often the clock of the machine was set by more than a second',
    registers: [metrics],
  });
  const readJump = createJumpDetector(clocks);
  const check = () => {
    const jumped = readJump();
    if (Math.abs(jumped) <= jumpMs) return;
    jumps.inc();
    logger.error({ jumped_ms: Math.round(jumped) }, 'the clock of the machine was set');
  };
  const timer = setInterval(check, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

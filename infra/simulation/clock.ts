import FakeTimers from '@sinonjs/fake-timers';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '#infra/testing/random.ts';

/** The real ones, from before any simulation. */
const turn = globalThis.setImmediate;
const real = { random: Math.random, randomUUID: crypto.randomUUID, randomBytes: crypto.randomBytes };

/** When every simulation begins. */
const epochMs = Date.parse('2026-01-01T00:00:00.000Z');
/** After each timer, so that what it set off comes to its next wait: one turn runs all promises, two a `setImmediate`. */
const turnsPerStep = 2;

export type Clock = {
  /** Lets the next timer fire, and all that follows from it happen; false when no timer is set. */
  step(): Promise<boolean>;
  nowMs(): number;
  /** Gives the process its own time and chance back. */
  restore(): void;
};

/**
 * Takes over all time and all chance of this process: what is not set off by a timer of the simulation does not happen,
 * and the same seed brings the same of everything.
 */
export function takeOver(random: Random): Clock {
  const clock = FakeTimers.install({
    now: epochMs,
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'Date',
      'performance',
    ] as FakeTimers.FakeMethod[],
  });
  const bytes = (size: number) => Buffer.from(Array.from({ length: size }, () => random.below(256)));
  Math.random = () => random.next();
  crypto.randomUUID = () => uuidOf(bytes(16));
  crypto.randomBytes = (size: number) => bytes(size);
  syncBuiltinESMExports();
  return {
    step: async () => {
      const earlier = clock.now;
      const moved = clock.next() > earlier || clock.countTimers() > 0;
      for (let turns = 0; turns < turnsPerStep; turns += 1) await new Promise((done) => turn(done));
      return moved;
    },
    nowMs: () => Date.now(),
    restore: () => {
      clock.reset();
      clock.uninstall();
      Math.random = real.random;
      crypto.randomUUID = real.randomUUID;
      crypto.randomBytes = real.randomBytes;
      syncBuiltinESMExports();
    },
  };
}

function uuidOf(bytes: Buffer): ReturnType<typeof crypto.randomUUID> {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

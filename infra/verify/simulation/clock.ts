import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import promisedTimers from 'node:timers/promises';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import { createSimulatedTimers, type Timer, type Timers } from './timers.ts';

/** When every simulation begins. */
const epochMs = Date.parse('2026-01-01T00:00:00.000Z');
/** The most turns of the event loop between two timers: more is an endless loop. */
const maxTurns = 1_000;
/** After the last timer: whatever still runs comes to an endless wait. */
const turnsAtEnd = 8;

export type SimulatedClock = ReturnType<typeof takeOver>;

type Act = (...given: unknown[]) => void;

/**
 * Replaces all time and randomness of this process: everything is caused by the simulation's
 * timers, and repeats with the seed.
 */
export function takeOver(random: Random) {
  const timers = createSimulatedTimers();
  let elapsedMs = 0;
  let jumpedMs = 0;
  const { after, every, clear, delay } = createWaits(timers, () => elapsedMs);
  const { immediate, settle } = createTurns();
  const bytes = (size: number) =>
    Buffer.from(Uint8Array.from({ length: size }, () => random.below(256)));

  const restore = replace([
    [
      globalThis,
      'setTimeout',
      (act: Act, ms: unknown, ...given: unknown[]) => after(ms, () => act(...given)),
    ],
    [
      globalThis,
      'setInterval',
      (act: Act, ms: unknown, ...given: unknown[]) => every(ms, () => act(...given)),
    ],
    [globalThis, 'clearTimeout', clear],
    [globalThis, 'clearInterval', clear],
    [globalThis, 'Date', createDateClass(() => Math.floor(epochMs + elapsedMs + jumpedMs))],
    [performance, 'now', () => elapsedMs],
    [promisedTimers, 'setTimeout', delay],
    [promisedTimers, 'setImmediate', immediate],
    [Math, 'random', () => random.next()],
    [crypto, 'randomUUID', () => formatUuid(bytes(16))],
    [crypto, 'randomBytes', bytes],
  ]);

  return {
    /** Fires the next timer and runs all its consequences; false if no timer is set. */
    step: async () => {
      const timer = timers.next();
      if (!timer) return false;
      elapsedMs = timer.atMs;
      timer.fire?.();
      await settle(1);
      return true;
    },
    /** Elapsed time, independent of the wall clock. */
    elapsedMs: () => elapsedMs,
    /** Sets the wall clock forward or back, which fires no timer. */
    jump: (byMs: number) => {
      jumpedMs += byMs;
    },
    /** Restores the process's own time and randomness, after the simulation. */
    restore: async () => {
      timers.clearAll();
      await settle(turnsAtEnd);
      timers.clearAll();
      restore();
    },
  };
}

/** What waits for a time of the simulation. */
function createWaits(timers: Timers, elapsedMs: () => number) {
  const after = (ms: unknown, fire: () => void) =>
    timers.set(elapsedMs() + Math.max(0, Number(ms) || 0), fire);
  const every = (ms: unknown, act: () => void) => {
    const again = (timer: Timer) => {
      act();
      if (timer.fire) timers.put(timer, elapsedMs() + Math.max(1, Number(ms) || 0));
    };
    const timer: Timer = after(Math.max(1, Number(ms) || 0), () => again(timer));
    return timer;
  };
  const clear = (timer?: Timer) => timer && timers.clear(timer);
  const delay = (ms: unknown, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(aborted(signal));
        return;
      }
      const onAbort = () => {
        timers.clear(timer);
        reject(aborted(signal));
      };
      const timer = after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  return { after, every, clear, delay };
}

/** What waits for turns of the event loop. */
function createTurns() {
  const turn = globalThis.setImmediate;
  let awaited = 0;
  const immediate = (value: unknown) =>
    new Promise((resolve) => {
      awaited += 1;
      turn(() => {
        awaited -= 1;
        resolve(value);
      });
    });
  // One turn runs all promises; more turns only if a caller waits for them.
  const settle = async (least: number) => {
    for (let turns = 0; turns < least || (awaited > 0 && turns < maxTurns); turns += 1)
      await new Promise((done) => turn(done));
  };
  return { immediate, settle };
}

const aborted = (signal: AbortSignal | undefined) =>
  Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });

/** A `Date` with the simulation's current time. */
function createDateClass(nowMs: () => number): DateConstructor {
  const RealDate = globalThis.Date;
  return class extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      super(...((given.length === 0 ? [nowMs()] : given) as [number]));
    }
    static override now = nowMs;
  } as DateConstructor;
}

/** Replaces properties of a process. @returns how to undo it */
function replace(others: readonly [at: object, name: string, other: unknown][]): () => void {
  const before = others.map(([at, name]) => Object.getOwnPropertyDescriptor(at, name));
  for (const [at, name, value] of others)
    Object.defineProperty(at, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: true,
    });
  // Updates what modules import by name.
  syncBuiltinESMExports();
  return () => {
    for (const [index, [at, name]] of others.entries()) {
      const descriptor = before[index];
      if (descriptor) Object.defineProperty(at, name, descriptor);
      else Reflect.deleteProperty(at, name);
    }
    syncBuiltinESMExports();
  };
}

function formatUuid(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

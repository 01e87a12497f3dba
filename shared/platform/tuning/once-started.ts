import { flushCompileCache } from 'node:module';
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isTuned } from './switches.ts';

export type OnceStarted = {
  /**
   * Megabytes by which what is old may grow before the whole heap is collected, where that is more
   * than doubling; 0 by default.
   */
  headroomMb?: number;
};

/** The start is over by then. */
const startedMs = 3_000;
/** Bytes that small buffers are cut from, together. */
const bufferPoolBytes = 8 * 1024;

/**
 * What a process that runs for weeks does otherwise than one that starts: called once, it takes
 * effect after 3 s.
 *
 * - Small buffers are cut from a common piece of memory, which lives as long as the last of them.
 *   With Node's 64 kB pieces, what connections still hold of their last message keeps a megabyte a
 *   second at 1,000 requests, and V8 collects the whole heap each 64 MB of that, each minute,
 *   headroom or not. With the 8 kB of earlier versions it is a twentieth.
 * - Node writes its compile cache when a process ends, which after a very first start would take
 *   seconds of the stop: it is written here. What was compiled under other flags is not taken from
 *   it, so the flags come after.
 * - What a start needs for a moment is half of what a process then holds: the young space has grown
 *   to its full size, and V8 gives none of it back unless it is told that memory is short.
 * - V8 gives objects their place among the old ones at once where those of the same line of code
 *   lived long during a burst, and keeps to that when each lives for a millisecond again. All that
 *   these point to then outlives the small collections too: they copy several times as much, and
 *   the whole heap has to be collected far more often.
 * - The less becomes old, the closer above what lives V8 sets the size at which it collects the
 *   whole heap: each 2.5 s at 0.65 MB a second, and each time requests wait for tens of
 *   milliseconds. Here it does when what is old has doubled, or grown by the headroom that the
 *   process asks for.
 * - 100 s after that, V8 collects it again to give memory back, busy or not, and after a common
 *   start all services do so at once, for a few megabytes each. They don't.
 */
export function tuneOnceStarted({ headroomMb = 0 }: OnceStarted = {}): void {
  const tune = () => {
    if (isTuned('buffer-pool')) Buffer.poolSize = bufferPoolBytes;
    flushCompileCache();
    if (isTuned('give-back')) giveBackWhatTheStartTook();
    if (isTuned('collections')) collectSeldom(headroomMb * 1024 * 1024);
  };
  setTimeout(tune, startedMs).unref();
}

function collectSeldom(headroom: number): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--memory-reducer-gc-count=0');
  leaveHeadroom(headroom);
}

/** Some 100 ms for a process with six services. */
function giveBackWhatTheStartTook(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * V8 knows the growth in per cent of what lives only: how much that is, each collection of the
 * whole heap tells.
 */
function leaveHeadroom(headroom: number): void {
  const follow = () =>
    setFlagsFromString(`--heap-growing-percent=${growingPercent(headroom, oldBytes())}`);
  follow();
  const collections = new PerformanceObserver((seen) => {
    if (seen.getEntries().some(isWhole)) follow();
  });
  if (headroom > 0) collections.observe({ type: 'gc' });
}

/**
 * By how many per cent what is old may grow: by the headroom, both in bytes, and at least by as
 * much again.
 */
export const growingPercent = (headroom: number, old: number): number =>
  Math.max(100, Math.round((100 * headroom) / old));

/** What V8 lets grow by so many per cent: all but the young objects. */
function oldBytes(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('new_'));
  return old.reduce((sum, space) => sum + space.space_used_size, 0);
}

const isWhole = ({ detail }: PerformanceEntry & { detail?: unknown }): boolean =>
  (detail as { kind?: number } | undefined)?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;

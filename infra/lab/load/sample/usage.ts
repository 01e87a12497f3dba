import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Of one process with its children: PostgreSQL has one for each connection. */
export type Usage = {
  readonly cpuMs: number;
  /** All, what it shares with its children once. */
  readonly memoryBytes: number;
  /** Private memory: without mapped files and memory shared with its children. */
  readonly ownMemoryBytes: number;
};

const clockTicksPerSecond = 100;

type Stat = { readonly parent: number; readonly cpuMs: number };

/**
 * CPU time so far and memory of each named process, from /proc. Children count for their parent,
 * unless they are named themselves.
 */
export function readUsage(named: Readonly<Record<string, number>>): Record<string, Usage> {
  const stats = readStats();
  const nameOf = new Map(Object.entries(named).map(([name, pid]) => [pid, name]));
  const groups = Map.groupBy(stats.keys(), (pid) => nameOf.get(findOwner(pid, stats, nameOf) ?? 0));
  return Object.fromEntries(
    [...groups].flatMap(([name, pids]) =>
      name === undefined ? [] : [[name, { cpuMs: sumCpuMs(pids, stats), ...readMemory(pids) }]],
    ),
  );
}

/** CPU time, user and system, of the processes and all their children so far. */
export function cpuMs(roots: readonly number[]): number {
  const stats = readStats();
  return sumCpuMs(withChildren(roots, stats), stats);
}

/**
 * Memory of the processes and all their children, shared memory counted once (proportional set
 * size).
 */
export function proportionalBytes(roots: readonly number[]): number {
  const kilobytes = withChildren(roots, readStats()).map((pid) => {
    const own = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`));
    return own ? Number(own[1]) : readProcessStatus(pid)('VmRSS');
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) * 1024;
}

/** The peak resident memory of the process, by the kernel; 0 when it is gone. */
export const peakBytes = (pid: number): number => readProcessStatus(pid)('VmHWM') * 1024;

/** Resets the kernel's peak. @returns the current resident memory */
export function beginPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return readProcessStatus(pid)('VmRSS') * 1024;
}

function withChildren(roots: readonly number[], stats: ReadonlyMap<number, Stat>): number[] {
  const wanted = new Set(roots);
  return [...stats.keys()].filter((pid) => findOwner(pid, stats, wanted) !== undefined);
}

/** The nearest given process that is the process or its ancestor. */
function findOwner(
  pid: number,
  stats: ReadonlyMap<number, Stat>,
  owners: { has(pid: number): boolean },
): number | undefined {
  let at = pid;
  for (let depth = 0; depth < 20 && at > 1; depth += 1) {
    if (owners.has(at)) return at;
    at = stats.get(at)?.parent ?? 0;
  }
  return undefined;
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // From the third field on: the second may hold blanks.
    const fields = read(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    // utime, stime; cutime, cstime: children that have ended.
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
    stats.set(Number(name), {
      parent: Number(fields[1] ?? 0),
      cpuMs: (ticks * 1_000) / clockTicksPerSecond,
    });
  }
  return stats;
}

const sumCpuMs = (pids: readonly number[], stats: ReadonlyMap<number, Stat>): number =>
  pids.reduce((sum, pid) => sum + (stats.get(pid)?.cpuMs ?? 0), 0);

function readMemory(pids: readonly number[]): Omit<Usage, 'cpuMs'> {
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const kilobytes = readProcessStatus(pid);
    own += kilobytes('RssAnon');
    shared = Math.max(shared, kilobytes('RssFile') + kilobytes('RssShmem'));
  }
  return { memoryBytes: (own + shared) * 1024, ownMemoryBytes: own * 1024 };
}

/** A field of /proc/<pid>/status, in kilobytes. */
function readProcessStatus(pid: number): (field: string) => number {
  const status = read(`/proc/${pid}/status`);
  return (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

/** A file of /proc; empty where its process is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

import { readdirSync, readFileSync } from 'node:fs';

const clockTicksPerSecond = 100;

/** Processor time (user and system) that the processes and all their children have used so far, in milliseconds. */
export function cpuMs(roots: readonly number[]): number {
  let ticks = 0;
  for (const pid of withChildren(roots)) {
    const fields = statOf(pid);
    // utime, stime; cutime, cstime: children that have ended.
    for (const index of [11, 12, 13, 14]) ticks += Number(fields[index] ?? 0);
  }
  return (ticks * 1000) / clockTicksPerSecond;
}

/** Memory of the processes and all their children, in bytes: what is shared counts once (proportional set size). */
export function memoryBytes(roots: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of withChildren(roots)) {
    const rollup = read(`/proc/${pid}/smaps_rollup`);
    const own = /^Pss:\s+(\d+)/m.exec(rollup) ?? /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`));
    kilobytes += Number(own?.[1] ?? 0);
  }
  return kilobytes * 1024;
}

function withChildren(roots: readonly number[]): Set<number> {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(statOf(Number(name))[1] ?? 0);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found = new Set<number>();
  const waiting = [...roots];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    if (found.has(pid)) continue;
    found.add(pid);
    waiting.push(...(childrenOf.get(pid) ?? []));
  }
  return found;
}

/** The fields of /proc/<pid>/stat from the third on; none when the process is gone. */
function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/** Of one process and the children that it has: PostgreSQL has one for each connection. */
export type Usage = {
  readonly cpuMs: number;
  /** All, what it shares with its children once. */
  readonly memoryBytes: number;
  /** Of its own: without files that are mapped, and without memory that it shares with its children. */
  readonly ownMemoryBytes: number;
};

const clockTicksPerSecond = 100;

type Stat = { readonly parent: number; readonly cpuMs: number };

/**
 * Processor time so far and memory of each named process, from /proc. What a process has started counts for it,
 * unless that has a name of its own.
 */
export function readUsage(named: Readonly<Record<string, number>>): Record<string, Usage> {
  const stats = readStats();
  const nameOf = new Map(Object.entries(named).map(([name, pid]) => [pid, name]));
  const groups = new Map<string, number[]>();
  for (const pid of stats.keys()) {
    const name = ownerOf(pid, stats, nameOf);
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), pid]);
  }
  return Object.fromEntries(
    [...groups].map(([name, pids]) => [
      name,
      {
        cpuMs: pids.reduce((sum, pid) => sum + (stats.get(pid)?.cpuMs ?? 0), 0),
        ...memoryOf(pids),
      },
    ]),
  );
}

function ownerOf(
  pid: number,
  stats: ReadonlyMap<number, Stat>,
  nameOf: ReadonlyMap<number, string>,
): string | undefined {
  let at = pid;
  for (let depth = 0; depth < 20 && at > 1; depth += 1) {
    const name = nameOf.get(at);
    if (name !== undefined) return name;
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
    stats.set(Number(name), { parent: Number(fields[1] ?? 0), cpuMs: (ticks * 1_000) / clockTicksPerSecond });
  }
  return stats;
}

function memoryOf(pids: readonly number[]): Omit<Usage, 'cpuMs'> {
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const status = read(`/proc/${pid}/status`);
    const kilobytes = (field: string) =>
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    own += kilobytes('RssAnon');
    shared = Math.max(shared, kilobytes('RssFile') + kilobytes('RssShmem'));
  }
  return { memoryBytes: (own + shared) * 1024, ownMemoryBytes: own * 1024 };
}

/** A file of /proc; nothing where its process is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

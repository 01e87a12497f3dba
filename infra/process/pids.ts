import { readdirSync, readFileSync } from 'node:fs';

/** Identifies a process beyond its pid, which the kernel will reuse. */
type ProcessIdentity = { readonly pid: number; readonly startedAt: string };

/**
 * Identifies a running process by its pid and start time (clock ticks since boot); undefined when
 * it is gone. A zombie that has threads yet is not: they hold its ports and files.
 */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    // The name in the second field may hold blanks and parentheses: count from the last one.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [state, startedAt] = [fields[0], fields[19]];
    const gone = state === 'Z' && readdirSync(`/proc/${pid}/task`).length < 2;
    return gone || startedAt === undefined ? undefined : { pid, startedAt };
  } catch {
    return undefined;
  }
}

/** Whether that very process still runs. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt;
}

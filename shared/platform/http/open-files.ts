import { readFileSync } from 'node:fs';

/** File descriptors that a process needs besides the connections of one port. */
const otherFiles = 512;

/**
 * How many connections a port may accept so that the process has file descriptors left to answer
 * them. Without a readable limit none applies.
 */
export function connectionsThatFit(): number {
  try {
    // Node raises the soft limit to the hard one when it starts.
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
    return Math.max(1, soft - otherFiles);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

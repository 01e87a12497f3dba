import { readFileSync } from 'node:fs';

/**
 * Files, stores, providers and other ports: what a process opens besides the connections of one
 * port.
 */
const otherFiles = 512;

/**
 * How many connections a port may take so that the process can still open what it needs to answer
 * them. If the limit can't be read, none applies.
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

import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isTuned } from './switches.ts';

/**
 * A process, by its id, gives way to others where there is not processor time for all; `niceness`
 * from 1 to 19. Linux shares time out between sessions where it groups them, and between processes
 * where it does not.
 */
export function giveWay(pid: number, niceness: number): void {
  if (!isTuned('give-way')) return;
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // A matter of speed alone, and not for every system to have.
  }
}

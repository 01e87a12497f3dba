import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from '../wait-until.ts';

/**
 * Sends SIGSTOP, and resolves once all threads of the process have stopped: under load some of them
 * continue for milliseconds.
 */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const hasStopped = (thread: string) =>
    /\nState:\t[TZ]/.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'));
  await waitUntil(
    `process ${pid} has stopped`,
    () => readdirSync(`/proc/${pid}/task`).every(hasStopped),
    { timeoutMs: 10_000, intervalMs: 2 },
  );
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';

/**
 * Sends SIGSTOP, and resolves once all threads of the process have stopped: under load some of them
 * continue for milliseconds.
 */
export async function freeze(pid: number): Promise<void> {
  // Pid 0 would signal this process and its whole group.
  if (pid <= 0) throw new Error('the process to freeze does not run');
  process.kill(pid, 'SIGSTOP');
  const threads = `/proc/${pid}/task`;
  const hasStopped = (thread: string) => {
    try {
      return /\nState:\t[TZ]/.test(readFileSync(`${threads}/${thread}/status`, 'utf8'));
    } catch {
      // The thread has exited meanwhile.
      return !existsSync(`${threads}/${thread}`);
    }
  };
  await eventually(`process ${pid} has stopped`, () => readdirSync(threads).every(hasStopped), {
    intervalMs: 2,
  });
}

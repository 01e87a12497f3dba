import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Target } from '#infra/lab/load/target.ts';

/** What goes wrong beside a load, by its name; each returns what ends it. */
export const disturbances: Readonly<Record<string, (target: Target) => () => void>> = {
  nothing: () => () => undefined,
  'one core busy': () => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    const end = () => void busy.kill('SIGKILL');
    process.once('exit', end);
    return end;
  },
  'PostgreSQL frozen': (target) => freeze(target, 'postgres'),
  'NATS frozen': (target) => freeze(target, 'nats'),
  'provider frozen': (target) => freeze(target, 'sandbox-provider'),
};

/** Stops a process with its children, as they are. @throws if there is none */
function freeze({ processes }: Target, name: string): () => void {
  const pid = processes()[name];
  if (pid === undefined) throw new Error(`there is no process ${name}`);
  // PostgreSQL's sessions are processes of their own.
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const all = [pid, ...children.filter(Boolean).map(Number)];
  signal(all, 'SIGSTOP');
  return () => signal(all, 'SIGCONT');
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // A session that has ended meanwhile.
    }
  }
}

import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { StartTarget, LoadTarget } from '#infra/lab/load/target.ts';
import { childProcesses } from '#infra/verify/harness/stacks/proxied-stack.ts';
import { disturbances } from './disturbances.ts';

/** What else is at work on the machine of a system under load, or how much of it the system has. */
export const machines: Readonly<Record<string, (start: StartTarget) => StartTarget>> = {
  quiet: (start) => start,
  busy: (start) => async (sink) => {
    const target = await start(sink);
    const end = disturbances['one core busy']?.(target, 0);
    return {
      ...target,
      stop: () => {
        end?.();
        return target.stop();
      },
    };
  },
  halved: (start) => async (sink) => {
    const target = await start(sink);
    for (const pid of ownProcesses(target)) pinToHalf(pid);
    return target;
  },
};

/** The processes of a system with their children, without its players. */
function ownProcesses({ processes, players }: LoadTarget): number[] {
  const named = Object.entries(processes()).filter(([name]) => !players.includes(name));
  return named.flatMap(([, pid]) => [pid, ...childProcesses(pid)]);
}

/** Leaves a process, with its threads and what it starts later, half of the machine's cores. */
function pinToHalf(pid: number): void {
  const cores = Math.max(1, Math.floor(availableParallelism() / 2));
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', `0-${cores - 1}`, String(pid)]);
}

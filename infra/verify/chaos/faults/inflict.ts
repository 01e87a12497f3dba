import { setTimeout as delay } from 'node:timers/promises';
import { links, send, type ProxiedStack } from '#infra/verify/harness/stacks/proxied-stack.ts';
import { faultName, type ChaosFault, type PlannedFault } from './plan.ts';

/**
 * Makes the faults at their times, and ends each after its own; at the end every process runs and
 * every link works.
 * @returns how often each was made, without those on a process that was already down
 */
export async function inflict(
  stack: ProxiedStack,
  plan: readonly PlannedFault[],
  onFault: (fault: PlannedFault) => void = () => undefined,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const beganAt = performance.now();
  const ends: Promise<void>[] = [];
  for (const fault of plan) {
    await delay(Math.max(0, fault.atMs - (performance.now() - beganAt)));
    const made = make(stack, fault);
    if (made === undefined) continue;
    counts.set(faultName(fault), (counts.get(faultName(fault)) ?? 0) + 1);
    onFault(fault);
    ends.push(made);
  }
  await Promise.all(ends);
  for (const link of links) {
    stack.links[link].slow(0);
    stack.links[link].resume();
  }
  return counts;
}

/** @returns when it is over; undefined if the process was not running */
function make(stack: ProxiedStack, fault: ChaosFault): Promise<void> | undefined {
  switch (fault.what) {
    case 'kill':
      return stack.signal(fault.process, 'SIGKILL').length > 0 ? Promise.resolve() : undefined;
    case 'freeze': {
      const pids = stack.signal(fault.process, 'SIGSTOP');
      return pids.length > 0
        ? after(fault, () => pids.forEach((pid) => send(pid, 'SIGCONT')))
        : undefined;
    }
    case 'cut':
      stack.links[fault.link].cut();
      return Promise.resolve();
    case 'stall': {
      const link = stack.links[fault.link];
      link.stall();
      return after(fault, link.resume);
    }
    case 'slow': {
      const link = stack.links[fault.link];
      link.slow(fault.delayMs);
      return after(fault, () => link.slow(0));
    }
  }
}

async function after({ forMs }: { forMs: number }, end: () => void): Promise<void> {
  await delay(forMs);
  end();
}

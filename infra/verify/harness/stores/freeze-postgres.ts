import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { identify } from '#infra/process/pids.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import type { TestStack } from '../stacks/test-stack.ts';

/** Freezes PostgreSQL with all its backends. @returns a function that resumes them */
export async function freezePostgres(stack: TestStack): Promise<() => void> {
  const pid = stack.pids()['postgres'] ?? 0;
  const frozen: number[] = [];
  const freezeOne = (each: number) => {
    frozen.push(each);
    return freeze(each);
  };
  const unfreeze = () => {
    // PostgreSQL itself may end some as soon as it resumes.
    for (const each of frozen.toReversed())
      if (identify(each) !== undefined) process.kill(each, 'SIGCONT');
  };
  onTestFinished(unfreeze);
  // First the parent: frozen, it starts no backend, and one that exits stays as a zombie.
  await freezeOne(pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  await Promise.all(children.map(Number).map(freezeOne));
  return unfreeze;
}

import { createWaitTimer } from '#shared/platform/logging/wait-log.ts';
import { readProblem } from './health.ts';
import type { Output } from './output.ts';
import type { StackProcess } from './processes.ts';

const checkEveryMs = 1000;

/**
 * Starts the processes. Logs which ones it waits for, after 10 s and then every 30 s.
 * @param start resolves when the process is ready
 * @throws the reason of the first that can't be started
 */
export async function startAll(
  processes: readonly StackProcess[],
  { start, output }: { start: (of: StackProcess) => Promise<void>; output: Pick<Output, 'log'> },
): Promise<void> {
  const pending = new Set(processes);
  const readTimer = createWaitTimer();
  const timer = setInterval(() => {
    const waitedS = readTimer();
    if (waitedS !== undefined) void logWait(pending, { waitedS, output });
  }, checkEveryMs);
  const startOne = async (process: StackProcess) => {
    await start(process);
    pending.delete(process);
  };
  await Promise.all(processes.map(startOne)).finally(() => clearInterval(timer));
}

async function logWait(
  pending: ReadonlySet<StackProcess>,
  { waitedS, output }: { waitedS: number; output: Pick<Output, 'log'> },
): Promise<void> {
  const stores = [...pending].filter(({ stage }) => stage === 0);
  // Services wait for stores: only they are to be named then.
  const waits = await Promise.all((stores.length > 0 ? stores : [...pending]).map(describe));
  output.log('info', `waiting for ${waits.join(', ')}: ${waitedS} s so far`);
}

async function describe({ name, probes = [] }: StackProcess): Promise<string> {
  const problems = await Promise.all(probes.map(([, url]) => readProblem(`${url}/readyz`)));
  const reasons = new Set(problems.filter((problem) => problem !== undefined));
  return reasons.size === 0 ? name : `${name} (${[...reasons].join('; ')})`;
}

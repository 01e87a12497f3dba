import { createWaitTimer } from '#shared/platform/logging/wait-log.ts';
import { readProblem } from './health.ts';
import type { Output } from './output.ts';
import type { StackProcess } from './processes.ts';

const checkEveryMs = 1000;

/**
 * Logs what the start waits for, after 10 s and then every 30 s, until the signal.
 * @param pending the processes that are not ready yet
 */
export function logWait(
  pending: ReadonlySet<StackProcess>,
  { output, signal }: { output: Pick<Output, 'log'>; signal: AbortSignal },
): void {
  const readTimer = createWaitTimer();
  const timer = setInterval(async () => {
    const waitedS = readTimer();
    if (waitedS === undefined) return;
    const stores = [...pending].filter(({ stage }) => stage === 0);
    // Services wait for stores: only they are to be named then.
    const waits = await Promise.all((stores.length > 0 ? stores : [...pending]).map(describe));
    if (!signal.aborted) output.log('info', `waiting for ${waits.join(', ')}: ${waitedS} s so far`);
  }, checkEveryMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

async function describe({ name, probes = [] }: StackProcess): Promise<string> {
  const problems = await Promise.all(probes.map(([, url]) => readProblem(`${url}/readyz`)));
  const reasons = new Set(problems.filter((problem) => problem !== undefined));
  return reasons.size === 0 ? name : `${name} (${[...reasons].join('; ')})`;
}

import { spawn } from 'node:child_process';
import type { GeneratorOrder } from '#infra/lab/load/generator/messages.ts';
import type { LoadTarget } from '#infra/lab/load/target.ts';
import { startHelper } from '#infra/verify/harness/processes/helper-process.ts';
import { childProcesses, send } from '#infra/verify/harness/stacks/proxied-stack.ts';

/** A disturbance during a load of some rate; @returns what ends it */
type Disturb = (target: LoadTarget, perSecond: number) => () => void;

export const disturbances: Readonly<Record<string, Disturb>> = {
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
  'one shop floods': flood,
};

/** The rate of the flooding shop, in multiples of the whole load. */
const floodFactor = 3;

/** The last shop, which has a small share of the load, sends three times the load by itself. */
function flood({ url: gateway, shops }: LoadTarget, perSecond: number): () => void {
  const generator = startHelper<GeneratorOrder>('infra/lab/load/generator/main.ts');
  const begin = { gateway, shops: shops.slice(-1), mix: 'withoutReceipts', seed: 2 } as const;
  const begun = generator
    .request({ order: 'begin', ...begin })
    .then(() => generator.request({ order: 'rate', perSecond: floodFactor * perSecond }));
  return () => void begun.finally(() => void generator.stop());
}

/** Freezes a process with its children. @throws if there is none */
function freeze({ processes }: LoadTarget, name: string): () => void {
  const pid = processes()[name];
  if (pid === undefined) throw new Error(`there is no process ${name}`);
  const stopped = [pid, ...childProcesses(pid)].filter((each) => send(each, 'SIGSTOP'));
  return () => stopped.forEach((each) => send(each, 'SIGCONT'));
}

import { fileURLToPath } from 'node:url';
import { findFreePort } from '#infra/process/free-port.ts';
import { nodeFlags } from '#infra/process/node-flags.ts';
import { startUntilReady, type RunningProcess } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { answers } from '#infra/start/health.ts';
import { startHelper, type Helper } from '#infra/verify/harness/processes/helper-process.ts';

export type Server = { readonly pid: number; readonly url: string };

/** `port`: the variable for its port; a free one by default, or `at`. */
type ServerOptions = { port: string; at?: number; env?: Record<string, string> };

type Servers = {
  /** Starts a program of the repository as a process of its own, and waits until it is ready. */
  start(main: string, options: ServerOptions): Promise<Server>;
  stop(): Promise<void>;
};

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Node's options for what is measured. */
const serverFlags = (): string[] => [
  ...nodeFlags,
  ...(process.env['BENCH_NODE_OPTIONS']?.split(' ').filter(Boolean) ?? []),
];

/** A program that does a piece of work on each order. */
export const startOrderWorker = <Order extends { readonly order: string }>(
  main: string,
  env: Readonly<Record<string, string>> = {},
): Helper<Order> => startHelper(main, { env, execArgv: serverFlags() });

/** Servers that end with this process, however it ends. */
export function createServers(): Servers {
  const watchdog = startWatchdog();
  const running: RunningProcess[] = [];
  return {
    start: async (main, { port: portVariable, at, env = {} }) => {
      const port = at ?? (await findFreePort());
      const launch = {
        name: main,
        command: process.execPath,
        args: [...serverFlags(), main],
        cwd: root,
        env: { PATH: process.env['PATH'], LOG_LEVEL: 'info', ...env, [portVariable]: String(port) },
        stopSignal: 'SIGTERM',
      } as const;
      const url = `http://127.0.0.1:${port}`;
      const isReady = () => answers(`${url}/readyz`);
      const child = await startUntilReady({ launch, isReady }, { watchdog });
      running.push(child);
      return { pid: child.pid, url };
    },
    stop: async () => {
      await Promise.all(running.map((child) => child.stop(10_000)));
      await watchdog.close();
    },
  };
}

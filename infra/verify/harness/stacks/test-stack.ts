import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { findFreePort } from '#infra/process/free-port.ts';
import { identify } from '#infra/process/pids.ts';
import { startProcess } from '#infra/process/start-process.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { answers } from '#infra/start/health.ts';
import { readStackFile, type StackFile } from '#infra/stores/stack-file.ts';
import { copyCluster } from '../stores/cluster.ts';
import { startStoreProcess } from '../stores/event-store-process.ts';
import { usesExternalServer } from '../stores/external-store.ts';
import { forFile } from '../tests/for-file.ts';
import { makeTempFolder, removeFolder } from '../processes/temp-folder.ts';

type StackOptions = {
  /**
   * Reused over several starts, and empty before the first; by default a temporary one with its
   * database, removed on stop.
   */
  readonly dataDir?: string;
  /** Overrides the defaults: free ports, DEMO=0, LOG_LEVEL=info. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How many processes of each service; one by default. */
  readonly instances?: number;
  /** Starts it by `npm start`, rather than by the program behind it. */
  readonly npm?: boolean;
  /** The user to run as; root alone can choose. */
  readonly uid?: number;
  readonly gid?: number;
};

export type TestStack = ReturnType<typeof testStack>;

/** The URLs of a stack, with an admin's token. */
export type StackAddress = Pick<TestStack, 'urls' | 'adminToken'>;

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const main = fileURLToPath(new URL('../../../start/main.ts', import.meta.url));

/**
 * Runs `npm start`'s program, whether it gets ready or not. It ends with this process, however that
 * ends.
 */
export function launchStack(
  env: Readonly<Record<string, string | undefined>>,
  { npm = false, instances, uid, gid }: StackOptions = {},
) {
  const watchdog = startWatchdog({ graceMs: 20_000 });
  const lines: string[] = [];
  const args = instances === undefined ? [] : ['--instances', String(instances)];
  const child = startProcess(
    {
      name: 'npm-start',
      ...(npm
        ? { command: 'npm', args: ['start', '--', ...args] }
        : { command: process.execPath, args: [main, ...args] }),
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stopSignal: 'SIGTERM',
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    },
    { watchdog, onLine: (line) => lines.push(line) },
  );
  return {
    pid: child.pid,
    exited: child.exited,
    output: () => lines.join('\n'),
    /** Stops it, and kills it after half a minute, with whatever is left of it. */
    stop: async (signal?: NodeJS.Signals) => {
      const exit = await child.stop(30_000, signal);
      await watchdog.close();
      return exit;
    },
  };
}

/** Free ports and a quiet demo, as a stack of its own needs them. */
export async function stackEnvironment(dataDir: string): Promise<Record<string, string>> {
  const names = ['GATEWAY_PORT', 'ADMIN_PORT', 'PAY_PORT', 'PORTAL_PORT', 'SANDBOX_PORT'];
  const taken = new Set<number>();
  for (const _ of names) taken.add(await findFreePort(taken));
  const ports = Object.fromEntries(
    [...taken].map((port, index) => [names[index] ?? '', String(port)]),
  );
  return { ...ports, DATA_DIR: dataDir, DEMO: '0', LOG_LEVEL: 'info' };
}

/**
 * Starts a whole stack and waits until it is ready.
 * @throws with all that it has printed, when it ends before it is ready
 */
export async function startTestStack(options: StackOptions = {}): Promise<TestStack> {
  const dataDir = options.dataDir ?? (await newDataDir());
  const store = options.env?.['EVENT_STORE_URL'] ? undefined : await startExternalStore(dataDir);
  const env = { ...(await stackEnvironment(dataDir)), ...store?.env, ...options.env };
  const launched = launchStack(env, options);
  const clean = async () => {
    await store?.stop('SIGTERM');
    if (options.dataDir === undefined) removeFolder(dataDir);
  };
  const ended = new AbortController();
  void launched.exited.then(({ code }) => ended.abort(new Error(`ended with ${code}`)));
  const banner = () => launched.output().includes('The gateway is ready');
  try {
    await eventually('the stack is ready', banner, { signal: ended.signal });
  } catch (error) {
    await launched.stop();
    await clean();
    throw new Error(`${(error as Error).message}:\n${launched.output()}`, { cause: error });
  }
  return testStack(dataDir, launched, clean);
}

/** The server of EVENT_STORE_COMMAND, with its data among the stack's; undefined without one. */
async function startExternalStore(dataDir: string) {
  if (!usesExternalServer()) return undefined;
  const store = await startStoreProcess({ directory: join(dataDir, 'external-store') });
  return { ...store, env: { EVENT_STORE_URL: store.url } };
}

/** A new one, with its database made already. */
async function newDataDir(): Promise<string> {
  const dataDir = makeTempFolder();
  await copyCluster(join(dataDir, 'postgres'));
  return dataDir;
}

/** A stack for one test: stopped and removed when the test is over, however it ends. */
export async function useStack(options: StackOptions = {}): Promise<TestStack> {
  const stack = await startTestStack(options);
  onTestFinished(async () => void (await stack.stop()));
  return stack;
}

export const stackForFile = (options?: StackOptions): TestStack =>
  forFile(() => startTestStack(options));

/** Whether every service of the stack on that folder reports that it is ready. */
export async function isStackReady(dataDir: string): Promise<boolean> {
  const probes = Object.values(readStackFile(dataDir)?.probes ?? {});
  return (await Promise.all(probes.map((probe) => answers(`${probe}/readyz`)))).every(Boolean);
}

function testStack(
  dataDir: string,
  launched: ReturnType<typeof launchStack>,
  clean: () => Promise<void>,
) {
  const current = (): StackFile => {
    const stack = readStackFile(dataDir);
    if (stack === undefined) throw new Error(`no stack runs on ${dataDir}`);
    return stack;
  };
  /** The environment of its processes: EVENT_STORE_URL, DATABASE_URL, NATS_URL, ports, secrets. */
  const { env } = current();
  /** The current pids of its processes. */
  const pids = () => current().processes;
  const names = Object.keys(pids());
  return {
    dataDir,
    /** The supervisor; under npm, npm. */
    pid: launched.pid,
    urls: {
      gateway: `http://127.0.0.1:${env['GATEWAY_PORT']}`,
      admin: `http://127.0.0.1:${env['ADMIN_PORT']}`,
      pay: `http://127.0.0.1:${env['PAY_PORT']}`,
      portal: `http://127.0.0.1:${env['PORTAL_PORT']}`,
      sandbox: `http://127.0.0.1:${env['SANDBOX_PORT']}`,
    },
    adminToken: env['ADMIN_TOKEN'] ?? '',
    env,
    pids,
    /** Signals one of its processes, by its name or that of a service in it. */
    kill: (name: string, signal: NodeJS.Signals = 'SIGKILL') => {
      const pid = pids()[current().services[name] ?? name];
      if (pid === undefined) throw new Error(`${name} does not run`);
      process.kill(pid, signal);
    },
    /** Resolves when every service is ready again, and none of the given pids is in use. */
    waitReady: async (without: readonly number[] = []) => {
      const whole = async () => {
        const now = pids();
        if (!names.every((name) => identify(now[name] ?? 0) !== undefined)) return false;
        if (Object.values(now).some((pid) => without.includes(pid))) return false;
        return isStackReady(dataDir);
      };
      await eventually('every service is ready', whole, { intervalMs: 50 });
    },
    /** Everything that it has printed. */
    output: launched.output,
    /**
     * Stops it as Ctrl-C does, or with the given signal, and removes its data, unless `dataDir` was
     * given.
     */
    stop: async (signal: NodeJS.Signals = 'SIGINT') => {
      const exit = await launched.stop(signal);
      await clean();
      return exit;
    },
  };
}

/** Resolves when none of the processes is left. */
export async function waitUntilGone(pids: readonly number[]): Promise<void> {
  await eventually('every process is gone', () => pids.every((pid) => identify(pid) === undefined));
}

import { fileURLToPath } from 'node:url';
import { findFreePort } from '#infra/process/free-port.ts';
import { startProcess, startUntilReady } from '#infra/process/start-process.ts';
import { startWatchdog, type Watchdog } from '#infra/process/watchdog.ts';
import { prepareExternalServer } from './external-store.ts';

/** An event store node in a process of its own. */
export type NodeProcess = {
  url: string;
  port: number;
  pid: number;
  /** The end of what it printed on its standard error. */
  complaints: () => string;
  isRunning: () => boolean;
  /**
   * Signals the process and waits for its end; returns the exit code (null when a signal ended it).
   */
  stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>;
};

export type StoreProcess = Pick<NodeProcess, 'url' | 'port' | 'stop'>;

type NodeProcessOptions = {
  directory: string;
  /** 0, the default, lets the system choose. */
  port?: number;
  /** As 23.10 has it, with 32. */
  maxEventsBehind?: number;
  /** A command that wraps the node's command, which follows it. */
  within?: readonly string[];
};

const main = fileURLToPath(new URL('../../../event-store-node/main.ts', import.meta.url));
const keptCharacters = 4_000;

/** One for all nodes of this process: they end with it, however it ends. */
let watchdog: Watchdog | undefined;

/** Starts a node on a directory. @throws with what it printed if it does not get ready */
export async function startNodeProcess(options: NodeProcessOptions): Promise<NodeProcess> {
  const { directory, port: wanted = 0, maxEventsBehind, within = [] } = options;
  const bound =
    maxEventsBehind === undefined ? [] : ['--max-events-behind', String(maxEventsBehind)];
  const node = [process.execPath, main, '--port', String(wanted), '--dir', directory, ...bound];
  const [command = '', ...args] = [...within, ...node];
  watchdog ??= startWatchdog();
  let [printed, complained] = ['', ''];
  const ready = Promise.withResolvers<number>();
  const onLine = (line: string, stream: 'stdout' | 'stderr') => {
    printed = `${printed}${line}\n`.slice(-keptCharacters);
    if (stream === 'stderr') complained = `${complained}${line}\n`.slice(-keptCharacters);
    // The line that reports that it is ready is JSON, with the port that the system chose.
    const found = stream === 'stdout' && /"port":(\d+)/.exec(line);
    if (found) ready.resolve(Number(found[1]));
  };
  const launch = {
    name: 'event-store',
    command,
    args,
    env: process.env,
    stopSignal: 'SIGTERM',
  } as const;
  const child = startProcess(launch, { watchdog, onLine });
  let running = true;
  const fail = (what: string) =>
    ready.reject(new Error(`node ${what} before it was ready: ${printed}`));
  const watchEnd = async () => {
    const { code } = await child.exited;
    running = false;
    fail(`ended with ${code}`);
  };
  void watchEnd();
  const port = await ready.promise;
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    pid: child.pid,
    complaints: () => complained,
    isRunning: () => running,
    stop: async (signal) => {
      child.kill(signal);
      return (await child.exited).code;
    },
  };
}

/**
 * Starts what EVENT_STORE_COMMAND names, else a node, on a directory that a test may start it on
 * again. @throws when it does not get ready
 */
export async function startStoreProcess({
  directory,
  port,
}: Pick<NodeProcessOptions, 'directory' | 'port'>): Promise<StoreProcess> {
  const place = { folder: directory, port: port ?? (await findFreePort()) };
  const given = prepareExternalServer(place);
  if (!given) return startNodeProcess({ directory, port: place.port });
  watchdog ??= startWatchdog();
  const child = await startUntilReady(given, { watchdog });
  return {
    url: given.url,
    port: place.port,
    stop: async (signal) => {
      child.kill(signal);
      return (await child.exited).code;
    },
  };
}

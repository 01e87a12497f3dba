import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** An event store node in a process of its own. */
export type NodeProcess = {
  url: string;
  port: number;
  pid: number;
  /** The end of what it has said on its standard error. */
  complaints: () => string;
  isRunning: () => boolean;
  /** Signals the process and waits for its end; returns the exit code (null when a signal ended it). */
  stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>;
};

export type NodeProcessOptions = {
  directory: string;
  /** 0, the default, lets the system choose. */
  port?: number;
  /** As 23.10 has it, with 32. */
  maxEventsBehind?: number;
  /** A command that runs the node in its own place, with what follows it as the node's command. */
  within?: readonly string[];
};

const main = fileURLToPath(new URL('../../event-store-node/main.ts', import.meta.url));
const startTimeoutMs = 20_000;
const keptCharacters = 4_000;

/** Starts a node on a directory. @throws with what it has said when it does not get ready */
export async function startNodeProcess(options: NodeProcessOptions): Promise<NodeProcess> {
  const { directory, port: wanted = 0, maxEventsBehind, within = [] } = options;
  const bound = maxEventsBehind === undefined ? [] : ['--max-events-behind', String(maxEventsBehind)];
  const node = [process.execPath, main, '--port', String(wanted), '--dir', directory, ...bound];
  const [command = '', ...args] = [...within, ...node];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let [said, complained] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => {
    complained = (complained + chunk.toString()).slice(-keptCharacters);
  });
  const port = await new Promise<number>((resolve, reject) => {
    const fail = (what: string) =>
      reject(new Error(`node ${what} before it was ready: ${said}${complained}`));
    const timer = setTimeout(() => fail(`took ${startTimeoutMs} ms`), startTimeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-keptCharacters);
      // The line that says that it is ready is JSON, with the port that the system chose.
      const ready = /"port":(\d+).*\n/.exec(said);
      if (!ready) return;
      clearTimeout(timer);
      resolve(Number(ready[1]));
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    pid: child.pid ?? 0,
    complaints: () => complained,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** An event store node in a process of its own. */
export type NodeProcess = {
  url: string;
  port: number;
  pid: number;
  /** Signals the process and waits for its end; returns the exit code (null when a signal ended it). */
  stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>;
};

const main = fileURLToPath(new URL('../../../../event-store-node/main.ts', import.meta.url));
const startTimeoutMs = 20_000;

/** Starts a node on `directory`; port 0 (the default) lets the system choose. Throws when it does not get ready. */
export const startNodeProcess = async (options: {
  directory: string;
  port?: number;
  /** As 23.10 has it, with 32. */
  maxEventsBehind?: number;
}): Promise<NodeProcess> => {
  const { directory, port: wanted = 0, maxEventsBehind } = options;
  const bound = maxEventsBehind === undefined ? [] : ['--max-events-behind', String(maxEventsBehind)];
  const child = spawn(process.execPath, [main, '--port', String(wanted), '--dir', directory, ...bound], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`node not ready in ${startTimeoutMs} ms: ${output}`)),
      startTimeoutMs,
    );
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000);
      // The line that says that it is ready is JSON, with the port that the system chose.
      const ready = /"port":(\d+).*\n/.exec(output);
      if (!ready) return;
      clearTimeout(timer);
      resolve(Number(ready[1]));
    };
    child.stdout.on('data', read);
    // Kept for the message of a failed start; must be drained in any case.
    child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`node ended with ${code} before it was ready: ${output}`)));
  });
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    pid: child.pid ?? 0,
    stop: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
};

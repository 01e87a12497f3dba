import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export type ProcessorProcess = {
  /** `SIGKILL`: as a machine that dies would; anything else lets it stop cleanly. Resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/** The service as it is deployed, in a process of its own, once it is ready. */
export async function spawnProcessor(env: Record<string, string>): Promise<ProcessorProcess> {
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], LISTEN_HOST: '127.0.0.1', LOG_LEVEL: 'fatal', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  // However the test ends, nothing is left running.
  onTestFinished(() => void child.kill('SIGKILL'));
  const isReady = () =>
    fetch(`http://127.0.0.1:${env['PROCESSOR_PORT']}/readyz`).then(
      ({ status }) => status === 204,
      () => false,
    );
  await waitUntil('the processor is ready', isReady, { timeoutMs: 20_000, intervalMs: 10 });
  return {
    end: async (signal) => {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

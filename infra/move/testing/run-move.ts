import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

type Where = { EVENT_STORE_URL: string } | { DATA_DIR: string };

/** Runs the command in a child process, on the store of these variables or of the stack. */
export function startMove(where: Where, args: readonly string[]) {
  const env = { ...process.env, EVENT_STORE_URL: '', DATA_DIR: '/nonexistent', ...where };
  const child = spawn(process.execPath, [main, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const take = (chunk: Buffer) => void (output += chunk.toString());
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    output: () => output,
    ended,
  };
}

export async function runMove(where: Where, ...args: string[]) {
  const { ended, output } = startMove(where, args);
  const code = await ended;
  return { code, output: output() };
}

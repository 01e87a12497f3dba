import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs the command in a process of its own, on the store of that URL. */
export function startMove(sourceUrl: string, args: readonly string[]) {
  const env = { ...process.env, EVENT_STORE_URL: sourceUrl, DATA_DIR: '/nonexistent' };
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

export async function runMove(sourceUrl: string, ...args: string[]) {
  const { ended, output } = startMove(sourceUrl, args);
  const code = await ended;
  return { code, output: output() };
}

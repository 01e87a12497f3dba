import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

export type ToolEnvironment = Readonly<Record<string, string>>;

/** Runs a command-line tool in a child process, on the store of these variables or of the stack. */
export function startTool(main: string, where: ToolEnvironment, args: readonly string[]) {
  const tool = spawnTool(main, where, args);
  onTestFinished(() => void tool.kill('SIGKILL'));
  return tool;
}

/** The same outside of a test, for `forFile`. */
export function spawnTool(main: string, where: ToolEnvironment, args: readonly string[]) {
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
  return {
    stop: () => child.kill('SIGKILL'),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    output: () => output,
    ended,
  };
}

/** Runs it to its end. */
export async function runTool(main: string, where: ToolEnvironment, args: readonly string[]) {
  const { ended, output } = startTool(main, where, args);
  const code = await ended;
  return { code, output: output() };
}

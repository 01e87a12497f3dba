import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
export const toolsFolder = join(root, '.cache/deploy-tools');
const source = join(root, 'infra/verify/deploy/tools');
const lock = 'package-lock.json';

/** Installs the tools by their lock file, unless they are installed. */
export function installTools(): void {
  const installed = join(toolsFolder, lock);
  const wanted = readFileSync(join(source, lock), 'utf8');
  if (existsSync(join(toolsFolder, 'node_modules')) && existsSync(installed)) {
    if (readFileSync(installed, 'utf8') === wanted) return;
  }
  mkdirSync(toolsFolder, { recursive: true });
  for (const name of ['package.json', lock]) cpSync(join(source, name), join(toolsFolder, name));
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: toolsFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Loads what the tools brought. */
export const requireTool = createRequire(join(toolsFolder, 'package.json'));

/** Runs a program and returns its output; `failed` if the exit code is not 0. */
export function runProgram(
  program: string,
  args: readonly string[],
): { output: string; failed: boolean } {
  try {
    const output = execFileSync(program, args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // No cluster is queried.
      env: { PATH: process.env['PATH'], HOME: toolsFolder, KUBECONFIG: '/dev/null' },
    });
    return { output, failed: false };
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message,
    } = error as { stdout?: string; stderr?: string; message: string };
    return { output: `${stdout}${stderr}` || message, failed: true };
  }
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { recordCommand } from '../browser/recorder.ts';
import type { TestStack } from '../stacks/test-stack.ts';
import { waitLimitMs } from '../tests/eventually.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const lastLine = (printed: string): string => printed.trimEnd().split('\n').at(-1) ?? '';

type CommandLine = {
  env?: Readonly<Record<string, string>>;
  /** A shorter form of the line for a journey. */
  shown?: string;
  /** The part of the output for a journey; by default the last line. */
  excerpt?: (printed: string) => string;
};

/**
 * Runs a line in a shell in the repository, against the stack.
 * @returns its output
 * @throws if it fails
 */
export function typeLine(
  { dataDir }: Pick<TestStack, 'dataDir'>,
  line: string,
  { env, shown = line, excerpt = lastLine }: CommandLine = {},
): Promise<string> {
  const run = async () => {
    const options = {
      cwd: root,
      env: { ...process.env, DATA_DIR: dataDir, ...env },
      timeout: waitLimitMs,
    };
    const { stdout } = await promisify(execFile)(
      '/bin/bash',
      ['-e', '-o', 'pipefail', '-c', line],
      options,
    );
    return stdout;
  };
  return recordCommand(shown, run, excerpt);
}

/** The text behind a label in the banner of `npm start`. */
export const bannerValue = (stack: Pick<TestStack, 'output'>, label: string): string =>
  new RegExp(`^ {2}${label} +(.+)$`, 'm').exec(stack.output())?.[1] ?? '';

/** The command in the banner. */
export const bannerCommand = (stack: Pick<TestStack, 'output'>, path: string): string =>
  stack
    .output()
    .split('\n')
    .find((text) => text.startsWith('curl ') && text.includes(path)) ?? 'false';

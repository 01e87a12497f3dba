import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { recordCommand } from './recorder.ts';
import type { TestStack } from './test-stack.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const lastLine = (printed: string): string => printed.trimEnd().split('\n').at(-1) ?? '';

type Typed = {
  env?: Readonly<Record<string, string>>;
  /** How a journey shows the line, where it is long. */
  shown?: string;
  /** What of it a journey shows: the last line, unless told otherwise. */
  said?: (printed: string) => string;
};

/**
 * What a line prints that is typed into a shell in the repository, beside the stack. @throws where
 * it fails
 */
export function typeLine(
  { dataDir }: Pick<TestStack, 'dataDir'>,
  line: string,
  { env, shown = line, said = lastLine }: Typed = {},
): Promise<string> {
  const run = async () => {
    const options = {
      cwd: root,
      env: { ...process.env, DATA_DIR: dataDir, ...env },
      timeout: 60_000,
    };
    const { stdout } = await promisify(execFile)(
      '/bin/bash',
      ['-e', '-o', 'pipefail', '-c', line],
      options,
    );
    return stdout;
  };
  return recordCommand(shown, run, said);
}

/** What the banner of `npm start` says behind a label. */
export const bannerValue = (stack: Pick<TestStack, 'output'>, label: string): string =>
  new RegExp(`^ {2}${label} +(.+)$`, 'm').exec(stack.output())?.[1] ?? '';

/** The line that the banner offers to be pasted. */
export const bannerCommand = (stack: Pick<TestStack, 'output'>, path: string): string =>
  stack
    .output()
    .split('\n')
    .find((text) => text.startsWith('curl ') && text.includes(path)) ?? 'false';

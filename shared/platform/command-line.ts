import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * Parses a program's options. `--help` prints the usage and exits with 0; an unknown option exits
 * with 2, after the reason and the usage.
 */
export function readCommandLine<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (isHelpRequested(config.args ?? process.argv.slice(2))) {
    process.stdout.write(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseCommandLine(usage, firstSentence(error));
  }
}

/** Prints what is wrong with the options, and the usage. Exits with code 2. */
export function refuseCommandLine(usage: string, reason: string): never {
  process.stderr.write(`${reason}\n\n${usage}`);
  process.exit(2);
}

/** `--help` among the options; what follows `--` is for another program. */
function isHelpRequested(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

/** Node's first sentence: the others explain how to pass such a text anyway. */
const firstSentence = (error: unknown): string => (error as Error).message.split('. ', 1)[0] ?? '';

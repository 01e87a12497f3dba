import type { NodeFault } from './start.ts';

/**
 * Streams that were deleted for good are overwritten on the disk this often, or this long after the
 * next start.
 */
export const scavengeEveryMs = 60_000;

/**
 * One JSON object for each line: to standard output what happens, to standard error what goes
 * wrong.
 */
export function print(stream: NodeJS.WriteStream, message: string, details: object = {}): void {
  stream.write(`${JSON.stringify({ time: new Date().toISOString(), message, ...details })}\n`);
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function onFault({ kind, error }: NodeFault): void {
  const stack = error instanceof Error ? error.stack : undefined;
  print(process.stderr, `event store node: ${kind}`, { error: textOf(error), stack });
  if (kind === 'fatal') process.exitCode = 1;
}

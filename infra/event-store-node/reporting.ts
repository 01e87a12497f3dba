import { errorMessage } from '#shared/platform/error-message.ts';
import type { NodeFault } from './start.ts';

/** How often the records of streams that were deleted for good are overwritten on the disk. */
export const scavengeEveryMs = 60_000;

/** Writes a line of JSON: activity to standard output, faults to standard error. */
export function print(stream: NodeJS.WriteStream, message: string, details: object = {}): void {
  stream.write(`${JSON.stringify({ time: new Date().toISOString(), message, ...details })}\n`);
}

export function onFault({ kind, error }: NodeFault): void {
  const stack = error instanceof Error ? error.stack : undefined;
  print(process.stderr, `event store node: ${kind}`, { error: errorMessage(error), stack });
  if (kind === 'fatal') process.exitCode = 1;
}

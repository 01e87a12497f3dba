import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';

/** The streams that make work due, and those that show that it is done. */
const prefixes = {
  operation: operationStream(''),
  late: lateStream(''),
  ledger: 'ledger-',
} as const;

type Kind = keyof typeof prefixes;

export const streamPrefixes: readonly string[] = Object.values(prefixes);

/** A stream's kind, and its name without the prefix. @throws for a stream that is not followed */
export function parseStreamName(stream: string): { kind: Kind; id: string } {
  for (const [kind, prefix] of Object.entries(prefixes) as [Kind, string][]) {
    if (stream.startsWith(prefix)) return { kind, id: stream.slice(prefix.length) };
  }
  throw new Error(`the processor does not follow stream ${stream}`);
}

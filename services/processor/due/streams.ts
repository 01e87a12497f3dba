import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';

/** The streams that work comes from, and those that show what of it is done. */
const prefixes = {
  operation: operationStream(''),
  late: lateStream(''),
  ledger: 'ledger-',
} as const;

type Kind = keyof typeof prefixes;

export const streamPrefixes: readonly string[] = Object.values(prefixes);

/** What a stream is, with what comes after the prefix of its name. @throws on a stream that the feed does not follow */
export function partsOf(stream: string): { kind: Kind; id: string } {
  for (const [kind, prefix] of Object.entries(prefixes) as [Kind, string][]) {
    if (stream.startsWith(prefix)) return { kind, id: stream.slice(prefix.length) };
  }
  throw new Error(`no stream of the processor's: ${stream}`);
}

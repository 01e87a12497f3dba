import { RefusedMessage } from '../protocol/framing.ts';
import { GRPC } from '../protocol/grpc-status.ts';
import { readRecordStreamName } from '../protocol/recorded-event.ts';
import type { FilterOptions } from '../protocol/read-request.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import { RegexError, toRegExp } from './net-regex.ts';

export type EventFilter = (event: RecordedEvent) => boolean;

type Test = (text: string) => boolean;

/**
 * The filter of a request: a regular expression (found anywhere, unless anchored), else any of the
 * prefixes. Throws `RefusedMessage` for an expression that can't be used.
 */
export function createEventFilter({ on, regex, prefixes }: FilterOptions): EventFilter {
  const matches = regex === '' ? byPrefix(prefixes) : byRegex(regex);
  return on === 'type'
    ? (event) => matches(event.type)
    : (event) => matches(readRecordStreamName(event.record));
}

function byPrefix(prefixes: readonly string[]): Test {
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
}

function byRegex(source: string): Test {
  try {
    const expression = toRegExp(source);
    return (text) => expression.test(text);
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    const message = `The filter's regular expression can't be used: ${error.message}.`;
    throw new RefusedMessage(GRPC.invalidArgument, message);
  }
}

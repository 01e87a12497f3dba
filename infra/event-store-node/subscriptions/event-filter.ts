import { streamNameOf } from '../protocol/recorded-event.ts';
import type { FilterOptions } from '../protocol/read-request.ts';
import type { StoredEvent } from '../storage/stored-event.ts';
import { RegexError, toRegExp } from './net-regex.ts';

export type EventFilter = (event: StoredEvent) => boolean;

type FilterResult =
  | { readonly kind: 'filter'; readonly matches: EventFilter }
  /** The expression can't be used, and why. */
  | { readonly kind: 'invalid'; readonly why: string };

type Test = (text: string) => boolean;

/**
 * The filter of a request: a regular expression (found anywhere, unless anchored), else any of the
 * prefixes.
 */
export function createEventFilter({ on, regex, prefixes }: FilterOptions): FilterResult {
  const matches = regex === '' ? byPrefix(prefixes) : byRegex(regex);
  if (matches instanceof RegexError) return { kind: 'invalid', why: matches.message };
  return {
    kind: 'filter',
    matches:
      on === 'type'
        ? (event) => matches(event.type)
        : (event) => matches(streamNameOf(event.record)),
  };
}

function byPrefix(prefixes: readonly string[]): Test {
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
}

function byRegex(source: string): Test | RegexError {
  try {
    const expression = toRegExp(source);
    return (text) => expression.test(text);
  } catch (error) {
    if (error instanceof RegexError) return error;
    throw error;
  }
}

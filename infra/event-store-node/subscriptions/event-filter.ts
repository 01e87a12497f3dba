import { streamNameOf } from '../protocol/recorded-event.ts';
import type { FilterOptions } from '../protocol/read-request.ts';
import type { StoredEvent } from '../storage/stored-event.ts';

export type EventFilter = (event: StoredEvent) => boolean;

const MAX_REGEX_CHARACTERS = 4096;

/**
 * The filter of a request: a regular expression (found anywhere, unless anchored), else any of the prefixes.
 * Undefined when the expression can't be read.
 */
export function createEventFilter({ on, regex, prefixes }: FilterOptions): EventFilter | undefined {
  const matches = regex === '' ? byPrefix(prefixes) : byRegex(regex);
  if (matches === undefined) return undefined;
  return on === 'type' ? (event) => matches(event.type) : (event) => matches(streamNameOf(event.record));
}

function byPrefix(prefixes: readonly string[]): (text: string) => boolean {
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
}

function byRegex(source: string): ((text: string) => boolean) | undefined {
  if (source.length > MAX_REGEX_CHARACTERS) return undefined;
  try {
    const expression = toRegExp(source);
    return (text) => expression.test(text);
  } catch {
    return undefined;
  }
}

/** .NET writes options in front, as in `(?i)order`; JavaScript has them behind. */
function toRegExp(source: string): RegExp {
  const options = /^\(\?([ims]+)\)/.exec(source);
  return options === null ? new RegExp(source) : new RegExp(source.slice(options[0].length), options[1]);
}

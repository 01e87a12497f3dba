import { isIP } from 'node:net';
import { isPublicAddress } from './addresses.ts';

/**
 * Why a webhook URL is refused, as far as that is known without resolving it; undefined if it may
 * be tried. Called when a URL is set, and before each attempt. The URL parser has turned integer,
 * octal and hexadecimal hosts into plain ones.
 */
export function refuseUrl(
  text: string,
  { allowPrivate }: { allowPrivate: boolean },
): string | undefined {
  // The parser would drop or convert these, and other readers of the text would not: it must have
  // one meaning.
  if (!text.isWellFormed() || Array.from(text).some(isStray))
    return 'it contains characters that no URL may have';
  if (!URL.canParse(text)) return 'it is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return 'it must start with https://';
  if (url.username !== '' || url.password !== '')
    return 'it must not contain a user name or password';
  if (allowPrivate) return undefined;
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'its address is not public';
  if (/(^|\.)localhost\.?$/i.test(host)) return 'its address is not public';
  return undefined;
}

/** Blanks, control characters and backslashes. */
const isStray = (character: string): boolean =>
  character <= ' ' || character === '\u{7F}' || character === '\\';

/** The host of a URL as sockets know it: an IPv6 literal without its brackets. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

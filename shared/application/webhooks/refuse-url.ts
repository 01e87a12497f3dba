import { isIP } from 'node:net';
import type { Words } from '#shared/application/pages/translations.ts';
import { isPublicAddress } from './addresses.ts';
import { urlRefusals } from './attempt-errors.ts';

/**
 * Why a webhook URL is refused, as far as that is known without resolving it; undefined if it may
 * be tried. Called when a URL is set, and before each attempt. The URL parser has turned integer,
 * octal and hexadecimal hosts into plain ones.
 */
export function refuseUrl(
  text: string,
  { allowPrivate }: { allowPrivate: boolean },
): Words | undefined {
  // The parser would drop or convert these, and other readers of the text would not: it must have
  // one meaning.
  if (!text.isWellFormed() || Array.from(text).some(isStray)) return urlRefusals.stray;
  if (!URL.canParse(text)) return urlRefusals.noUrl;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return urlRefusals.noTls;
  if (url.username !== '' || url.password !== '') return urlRefusals.credentials;
  if (allowPrivate) return undefined;
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0 && !isPublicAddress(host)) return urlRefusals.notPublic;
  if (/(^|\.)localhost\.?$/i.test(host)) return urlRefusals.notPublic;
  return undefined;
}

/** Blanks, control characters and backslashes. */
const isStray = (character: string): boolean =>
  character <= ' ' || character === '\u{7F}' || character === '\\';

/** The host of a URL as sockets know it: an IPv6 literal without its brackets. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

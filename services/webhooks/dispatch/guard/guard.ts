import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { ConnectionGuard } from '#shared/platform/http-client/client.ts';
import { isPublicAddress } from './addresses.ts';
import type { Resolve } from './resolve.ts';

/**
 * Why a destination is refused (R14.14); without addresses, so that it reveals nothing about
 * internal networks.
 */
export class DestinationRefused extends Error {
  constructor(reason: string) {
    super(`destination refused: ${reason}`);
    this.name = 'DestinationRefused';
  }
}

export type GuardOptions = {
  /** WEBHOOK_ALLOW_PRIVATE: http: and addresses that are not public may be used. */
  allowPrivate: boolean;
  resolve: Resolve;
};

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
    return 'it holds characters that no URL has';
  if (!URL.canParse(text)) return 'it is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return 'it is not https:';
  if (url.username !== '' || url.password !== '') return 'it carries a user or a password';
  if (allowPrivate) return undefined;
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'its address is not public';
  if (/(^|\.)localhost\.?$/i.test(host)) return 'its address is not public';
  return undefined;
}

/**
 * Connects only where `isPublicAddress` allows it. Names are checked when they are resolved, and
 * the socket connects to one of exactly those addresses: nothing is resolved again in between. IP
 * literals, which never reach `lookup`, and the socket's real address are checked too.
 */
export function createGuard({ allowPrivate, resolve }: GuardOptions): ConnectionGuard {
  const permitted = (address: string) => allowPrivate || isPublicAddress(address);
  const refuseAddress = (address: string) =>
    permitted(address) ? undefined : new DestinationRefused('its address is not public');
  return {
    refuseHost: (protocol, host) => {
      if (!allowPrivate && protocol !== 'https:') return new DestinationRefused('it is not https:');
      return isIP(host) === 0 ? undefined : refuseAddress(host);
    },
    refuseAddress,
    lookup: guardedLookup(resolve, permitted),
  };
}

/** A `lookup` for sockets that fails when any address of the name is not permitted. */
function guardedLookup(resolve: Resolve, permitted: (address: string) => boolean): LookupFunction {
  const lookup = async (hostname: string) => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    if (!addresses.every(({ address }) => permitted(address))) {
      throw new DestinationRefused('its address is not public');
    }
    return addresses;
  };
  const withCallback = callbackify(lookup);
  // Always asked for all addresses: the client sets `autoSelectFamily`.
  return (hostname, _options, callback) =>
    withCallback(hostname, (error, found) => callback(error, found ?? []));
}

/** Blanks, control characters and backslashes. */
const isStray = (character: string): boolean =>
  character <= ' ' || character === '\u{7F}' || character === '\\';

/** The host of a URL as sockets know it: an IPv6 literal without its brackets. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { ConnectionGuard } from '#shared/platform/http-client/client.ts';
import { isPublicAddress } from '#shared/application/webhooks/addresses.ts';
import { destinationRefused, urlRefusals } from '#shared/application/webhooks/attempt-errors.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { Resolve } from './resolve.ts';

/**
 * Why a destination is refused (R14.14); without addresses, so that it reveals nothing about
 * internal networks.
 */
export class DestinationRefused extends Error {
  constructor(reason: Words) {
    super(destinationRefused(reason).en);
    this.name = 'DestinationRefused';
  }
}

export type DestinationGuardOptions = {
  /** WEBHOOK_ALLOW_PRIVATE: http: and addresses that are not public may be used. */
  allowPrivate: boolean;
  resolve: Resolve;
};

/**
 * Connects only where `isPublicAddress` allows it. Names are checked when they are resolved, and
 * the socket connects to one of exactly those addresses: nothing is resolved again in between. IP
 * literals, which never reach `lookup`, and the socket's real address are checked too.
 */
export function createGuard({ allowPrivate, resolve }: DestinationGuardOptions): ConnectionGuard {
  const permitted = (address: string) => allowPrivate || isPublicAddress(address);
  const refuseAddress = (address: string) =>
    permitted(address) ? undefined : new DestinationRefused(urlRefusals.notPublic);
  return {
    refuseHost: (protocol, host) => {
      if (!allowPrivate && protocol !== 'https:') return new DestinationRefused(urlRefusals.noTls);
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
      throw new DestinationRefused(urlRefusals.notPublic);
    }
    return addresses;
  };
  const withCallback = callbackify(lookup);
  // Always asked for all addresses: the client sets `autoSelectFamily`.
  return (hostname, _options, callback) =>
    withCallback(hostname, (error, addresses) => callback(error, addresses ?? []));
}

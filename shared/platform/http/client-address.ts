import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address that a request comes from: the connection's or, behind `trustedProxies` proxies, the
 * one that the outermost of them saw. Anything that a client writes into X-Forwarded-For precedes
 * those and is ignored. Empty where the entry can't be read: the proxy's own address in its place
 * would let every client use what only the proxies' network may.
 */
export const clientAddress = (c: Context, behind: Proxies): string =>
  addressBehind(behind, { peer: peerAddress(c), forwardedFor: c.req.header('x-forwarded-for') });

/** The same of a request that has no context yet. */
export const senderAddress = ({ socket, headers }: IncomingMessage, behind: Proxies): string =>
  addressBehind(behind, {
    peer: socket.remoteAddress ?? '',
    forwardedFor: headers['x-forwarded-for']?.toString(),
  });

type Proxies = { trustedProxies: number };
type Sent = { peer: string; forwardedFor: string | undefined };

function addressBehind({ trustedProxies }: Proxies, { peer, forwardedFor }: Sent): string {
  if (trustedProxies === 0) return peer;
  const forwarded = forwardedFor?.split(',') ?? [];
  const entry = forwarded.at(-trustedProxies);
  // Fewer than configured: the request did not come through all proxies.
  return entry === undefined ? peer : addressIn(entry.trim());
}

/** Some proxies append the port, and write an IPv6 address in brackets. */
function addressIn(entry: string): string {
  const [, bracketed, ipv4] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(entry) ?? [];
  const address = bracketed ?? ipv4 ?? entry;
  return isIP(address) === 0 ? '' : address;
}

/** Outside of a server, as in tests, there is no connection. */
function peerAddress(c: Context): string {
  return c.env ? (getConnInfo(c).remote.address ?? '') : '';
}

/**
 * The range of one subscriber: an IPv4 address, or the /64 of an IPv6 one, within which addresses
 * are free to choose.
 */
export function subscriberPrefix(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIP(address) !== 6) return mapped ?? address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

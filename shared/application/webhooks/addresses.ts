import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Non-public IPv4 ranges (the IANA special-purpose registry), which include the cloud metadata
 * addresses.
 */
const specialIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's platform address: a public number, but an internal service.
  ['168.63.129.16', 32],
] as const;

/** Special ranges inside of global unicast 2000::/3; everything outside of that is refused. */
const specialIpv6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [network, bits] of specialIpv4) special.addSubnet(network, bits, 'ipv4');
const special6 = new BlockList();
for (const [network, bits] of specialIpv6) special6.addSubnet(network, bits, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an IP address belongs to the public internet. Forms of IPv6 that only wrap an IPv4
 * address (mapped, NAT64) are judged by that; anything that is no plain IP address (a zone, a name)
 * is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  const wrapped = wrappedIpv4(address);
  if (wrapped !== undefined) return isPublicAddress(wrapped);
  return globalUnicast.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/** The IPv4 address in ::ffff:0:0/96 (mapped) or 64:ff9b::/96 (NAT64). */
function wrappedIpv4(address: string): string | undefined {
  const groups = addressGroups(address);
  const prefix = groups.slice(0, 6).join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
    .join('.');
}

/**
 * The eight groups, in lower case without leading zeros: the URL parser writes every spelling in
 * one way.
 */
function addressGroups(address: string): string[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail === undefined) return left;
  const right = tail === '' ? [] : tail.split(':');
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}

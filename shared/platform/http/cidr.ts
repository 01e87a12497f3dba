import { BlockList, isIP } from 'node:net';

/** Whether an address is within one of some ranges. */
export type Ranges = { has(address: string): boolean };

const mapped = new BlockList();
mapped.addSubnet('::ffff:0.0.0.0', 96, 'ipv6');

type Range = { network: string; prefix: number; family: 4 | 6 };

/** Whether it is a range of addresses in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32. */
export const isCidr = (text: string): boolean => parse(text) !== undefined;

function parse(text: string): Range | undefined {
  const [, network = '', digits = ''] = /^([0-9A-Fa-f:.]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const family = isIP(network);
  const prefix = Number(digits);
  if (family !== 4 && family !== 6) return undefined;
  return prefix <= (family === 4 ? 32 : 128) ? { network, prefix, family } : undefined;
}

/** An IPv4-mapped IPv6 address counts as its IPv4 address. */
export function parseRanges(cidrs: readonly string[]): Ranges {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const cidr of cidrs) {
    const range = parse(cidr);
    if (!range) throw new Error(`${cidr} is no range of addresses`);
    const { network, prefix, family } = range;
    const isMapped = family === 6 && prefix >= 96 && mapped.check(network, 'ipv6');
    lists[isMapped ? 4 : family].addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    has: (text) => {
      const [address = ''] = text.split('%');
      const family = isIP(address);
      if (family === 4) return lists[4].check(address, 'ipv4');
      if (family !== 6) return false;
      return lists[mapped.check(address, 'ipv6') ? 4 : 6].check(address, 'ipv6');
    },
  };
}

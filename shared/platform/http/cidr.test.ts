import { expect, it } from 'vitest';
import { isCidr, parseRanges } from './cidr.ts';

it.each([
  '0.0.0.0/0',
  '203.0.113.7/32',
  '10.0.0.5/8',
  '::/0',
  '2001:db8::/32',
  '::1/128',
  '::ffff:10.0.0.0/104',
])('accepts the range %s', (text) => expect(isCidr(text)).toBe(true));

it.each([
  '',
  '203.0.113.7',
  '203.0.113.7/',
  '203.0.113.7/33',
  '203.0.113/24',
  '::/129',
  '::1/-1',
  '10.0.0.0/08',
  '10.0.0.0/8 ',
  'fe80::1%eth0/64',
  'a/8',
  '/8',
  '10.0.0.0/8/8',
])('rejects %j', (text) => expect(isCidr(text)).toBe(false));

it.each<[cidrs: string[], address: string, within: boolean]>([
  [['203.0.113.0/24'], '203.0.113.255', true],
  [['203.0.113.0/24'], '203.0.114.0', false],
  [['10.0.0.5/8'], '10.255.0.1', true],
  [['203.0.113.7/32', '198.51.100.0/24'], '198.51.100.9', true],
  [['203.0.113.0/24'], '::ffff:203.0.113.1', true],
  [['203.0.113.0/24'], '::ffff:cb00:7101', true],
  [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
  [['::ffff:10.0.0.0/104'], '::ffff:10.1.2.3', true],
  [['::ffff:10.0.0.0/104'], '11.0.0.1', false],
  [['2001:db8::/32'], '2001:DB8:1::1', true],
  [['2001:db8::/32'], '2001:db9::1', false],
  [['fe80::/10'], 'fe80::1%eth0', true],
  [['::/0'], '203.0.113.1', false],
  [['::/0'], '::ffff:203.0.113.1', false],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['0.0.0.0/0', '::/0'], '', false],
  [['0.0.0.0/0', '::/0'], 'unknown', false],
])('matches %j with the address %s: %s (R1.15)', (cidrs, address, within) => {
  expect(parseRanges(cidrs).has(address)).toBe(within);
});

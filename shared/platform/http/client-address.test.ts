import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { clientAddress, subscriberPrefix } from './client-address.ts';

async function addressOf(forwarded: string | undefined, trustedProxies: number): Promise<string> {
  const app = new Hono();
  app.get('/', (c) => c.text(clientAddress(c, { trustedProxies })));
  const env = {
    incoming: { socket: { remoteAddress: '192.0.2.1', remotePort: 1, remoteFamily: 'IPv4' } },
  };
  const headers: Record<string, string> =
    forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return (await app.request('/', { headers }, env)).text();
}

it.each([
  ['no trusted proxy', '203.0.113.9', 0, '192.0.2.1'],
  ['one proxy', '203.0.113.9', 1, '203.0.113.9'],
  ['one proxy, and a forged entry', '10.0.0.1, 203.0.113.9', 1, '203.0.113.9'],
  ['two proxies', '10.0.0.1, 203.0.113.9, 198.51.100.7', 2, '203.0.113.9'],
  ['one proxy, and no header', undefined, 1, '192.0.2.1'],
  ['fewer entries than proxies', '203.0.113.9', 2, '192.0.2.1'],
  ['a port', '203.0.113.9:51000', 1, '203.0.113.9'],
  ['two ports', '10.0.0.1:1, 203.0.113.9:51000, 198.51.100.7:2', 2, '203.0.113.9'],
  ['IPv6', '2001:db8::7', 1, '2001:db8::7'],
  ['IPv6 in brackets', '[2001:db8::7]', 1, '2001:db8::7'],
  ['IPv6 in brackets with a port', '[2001:db8::7]:443', 1, '2001:db8::7'],
  ['IPv6 that ends in what looks like a port', '2001:db8::7:443', 1, '2001:db8::7:443'],
])('returns the client’s address: %s', async (_, forwarded, trustedProxies, address) => {
  expect(await addressOf(forwarded, trustedProxies)).toBe(address);
});

it.each([
  'unknown',
  '_hidden',
  '203.0.113.9, ',
  '203.0.113.9:',
  '203.0.113.9:http',
  '203.0.113.256:80',
  '[2001:db8::7',
  '2001:db8::7]:443',
  '[203.0.113.9',
  'example.com:443',
  '',
])('returns no address, not the proxy’s, for the entry %j (R1.15)', async (forwarded) => {
  expect(await addressOf(forwarded, 1)).toBe('');
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('maps %s to the subscriber %s', (address, subscriber) => {
  expect(subscriberPrefix(address)).toBe(subscriber);
});

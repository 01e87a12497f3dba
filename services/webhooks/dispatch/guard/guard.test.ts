import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { createHttpClient } from '#shared/platform/http-client/client.ts';
import { isPublicAddress } from '#shared/application/webhooks/addresses.ts';
import { refuseUrl } from '#shared/application/webhooks/refuse-url.ts';
import { createGuard, DestinationRefused } from './guard.ts';
import type { Address } from './resolve.ts';

describe('an address', () => {
  it.each(['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.32.0.1', '192.0.1.1', '223.255.255.254'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2001:200::1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ['0.0.0.0', 'this host'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'shared'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'metadata'],
    ['192.168.0.1', 'private'],
    ['198.19.0.1', 'benchmarking'],
    ['203.0.113.9', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'mapped'],
    ['::ffff:a9fe:a9fe', 'mapped metadata'],
    ['0:0:0:0:0:FFFF:0A00:0001', 'mapped private'],
    ['64:ff9b::10.0.0.1', 'NAT64'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 metadata'],
    ['64:ff9b:1::a00:1', 'local NAT64'],
    ['fe80::1', 'link-local'],
    ['fe80::1%lo', 'zone'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', 'documentation'],
    ['2001::1', 'Teredo'],
    ['2002:7f00:1::', '6to4'],
    ['3fff::1', 'documentation'],
    ['100::1', 'discard'],
    ['5f00::1', 'segment routing'],
    ['example.com', 'a name'],
    ['', 'nothing'],
  ])('%s is not public (%s)', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a webhook URL', () => {
  const strict = { allowPrivate: false };

  it('is https and public (R14.14)', () => {
    expect(refuseUrl('https://merchant.example/hooks?id=1', strict)).toBeUndefined();
    expect(refuseUrl('https://8.8.8.8:8443/', strict)).toBeUndefined();
  });

  it.each([
    'http://merchant.example/',
    'ftp://merchant.example/',
    'file:///etc/passwd',
    'merchant.example',
    'https://user@merchant.example/',
    'https://user:password@merchant.example/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::7f00:1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://merchant.example/\0',
    'https://merchant.example/\ud800',
  ])('%s is refused', (url) => expect(refuseUrl(url, strict)).toBeDefined());

  it('may be private if allowed, but must be HTTP without a password', () => {
    const lax = { allowPrivate: true };
    expect(refuseUrl('http://127.0.0.1:9000/', lax)).toBeUndefined();
    expect(refuseUrl('http://user:password@127.0.0.1:9000/', lax)).toBeDefined();
    expect(refuseUrl('ftp://127.0.0.1/', lax)).toBeDefined();
  });
});

describe('a connection', () => {
  const addressesOf = (...addresses: string[]): Address[] =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  const listen = async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end('ok'));
    server.on('connection', () => (connections += 1));
    const port = await listenOnLoopback(server);
    onTestFinished(() => void server.close());
    return { port, connections: () => connections };
  };
  const get = async (origin: string, options: { allowPrivate: boolean; addresses?: Address[] }) => {
    const resolve = async () => options.addresses ?? [];
    const guard = createGuard({ ...options, resolve });
    const client = createHttpClient(origin, { maxConnections: 1, guard });
    onTestFinished(() => client.close());
    return new Promise<number>((done, fail) => {
      let status = 0;
      client.send(
        { method: 'GET', path: '/', headers: {} },
        {
          onStatus: (code) => void (status = code),
          onData: () => undefined,
          onEnd: () => done(status),
          onError: fail,
        },
      );
    });
  };

  it('refuses a name that resolves to a private address, before any packet is sent (R14.14)', async () => {
    const { port, connections } = await listen();
    const origin = `https://merchant.example:${port}`;
    for (const addresses of [addressesOf('127.0.0.1'), addressesOf('8.8.8.8', '127.0.0.1')]) {
      await expect(get(origin, { allowPrivate: false, addresses })).rejects.toThrow(
        DestinationRefused,
      );
    }
    expect(connections()).toBe(0);
  });

  it('refuses address literals, which are never resolved, and http:', async () => {
    const { port, connections } = await listen();
    for (const origin of [`https://127.0.0.1:${port}`, `https://[::ffff:7f00:1]:${port}`]) {
      await expect(get(origin, { allowPrivate: false })).rejects.toThrow(/not public/);
    }
    await expect(get(`http://127.0.0.1:${port}`, { allowPrivate: false })).rejects.toThrow(
      /must start with https/,
    );
    expect(connections()).toBe(0);
  });

  it('connects to the resolved address if private ones are allowed', async () => {
    const { port } = await listen();
    const addresses = addressesOf('127.0.0.1');
    expect(await get(`http://merchant.example:${port}`, { allowPrivate: true, addresses })).toBe(
      200,
    );
  });

  it('fails like DNS if a name has no address', async () => {
    await expect(get('https://merchant.example', { allowPrivate: false })).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });
});

import { expect, it } from 'vitest';
import { readGatewayUrl } from './gateway-url.ts';

it.each([
  [{}, 'http://localhost:8080'],
  [{ GATEWAY_PORT: '9001' }, 'http://localhost:9001'],
  [{ GATEWAY_PORT: '9001', GATEWAY_BASE_URL: '' }, 'http://localhost:9001'],
  [{ GATEWAY_PORT: '9001', GATEWAY_BASE_URL: 'https://pay.test/api//' }, 'https://pay.test/api'],
])('reads the gateway URL from %o', (env, url) => {
  expect(readGatewayUrl(env)).toBe(url);
});

it.each([
  'ftp://pay.test',
  'https://user:secret@pay.test',
  'https://user@pay.test/api',
  'https://:secret@pay.test',
  'https://pay.test/?a=1',
  'https://pay.test/?',
  'https://pay.test/#part',
])('rejects %s, naming the variable but not its value', (url) => {
  const read = () => readGatewayUrl({ GATEWAY_BASE_URL: url });
  expect(read).toThrow(/GATEWAY_BASE_URL/);
  expect(read).not.toThrow(/secret/);
});

import { expect, it } from 'vitest';
import { readGatewayUrl } from './gateway-url.ts';

it.each([
  [{}, 'http://localhost:8080'],
  [{ GATEWAY_PORT: '9001' }, 'http://localhost:9001'],
  [{ GATEWAY_PORT: '9001', GATEWAY_BASE_URL: '' }, 'http://localhost:9001'],
  [{ GATEWAY_PORT: '9001', GATEWAY_BASE_URL: 'https://pay.test/api//' }, 'https://pay.test/api'],
])('the gateway is reached where the environment says: %o', (env, url) => {
  expect(readGatewayUrl(env)).toBe(url);
});

it('a malformed address is refused by name', () => {
  expect(() => readGatewayUrl({ GATEWAY_BASE_URL: 'ftp://pay.test' })).toThrow(/GATEWAY_BASE_URL/);
});

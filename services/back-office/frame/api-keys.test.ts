import { expect, it } from 'vitest';
import { apiKeyBody, limitsIn } from '#shared/application/directory/api-key-body.ts';
import { keyBodyOf } from './api-keys.ts';

it('omits limits whose form fields are empty', () => {
  const empty = { label: ' server 1 ', expires_at: '', allowed_ips: ' \n', scope_read: '' };
  expect(keyBodyOf(empty)).toEqual({ label: 'server 1' });
});

it('parses addresses, a time without seconds, and the checked scopes', () => {
  const body = keyBodyOf({
    label: 'a',
    expires_at: '2026-12-31T23:59',
    allowed_ips: '203.0.113.7\r\n2001:db8::1, 10.0.0.0/8',
    scope_payments: 'on',
    scope_read: 'on',
  });
  expect(body).toEqual({
    label: 'a',
    expires_at: '2026-12-31T23:59:00Z',
    allowed_ips: ['203.0.113.7/32', '2001:db8::1/128', '10.0.0.0/8'],
    scopes: ['payments', 'read'],
  });
  expect(limitsIn(apiKeyBody.parse(body))).toEqual({
    expires_at: '2026-12-31T23:59:00.000Z',
    allowed_ips: ['203.0.113.7/32', '2001:db8::1/128', '10.0.0.0/8'],
    scopes: ['payments', 'read'],
  });
});

it.each([
  { label: '' },
  { label: 'a', expires_at: '2026-12-31' },
  { label: 'a', expires_at: null },
  { label: 'a', allowed_ips: [] },
  { label: 'a', allowed_ips: ['203.0.113.7'] },
  { label: 'a', allowed_ips: ['203.0.113.0/33'] },
  { label: 'a', allowed_ips: Array.from({ length: 51 }, (_, index) => `10.0.0.${index}/32`) },
  { label: 'a', scopes: [] },
  { label: 'a', scopes: ['webhooks'] },
  { label: 'a', scope: ['read'] },
])('rejects %j as a new key', (body) => expect(apiKeyBody.safeParse(body).success).toBe(false));

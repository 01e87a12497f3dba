import { describe, expect, it } from 'vitest';
import { limitsIn, readApiKeyBody } from '#shared/application/directory/api-key-body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { toKeyBody } from './api-keys.ts';

const utc = { zone: 'UTC' };
const nowMs = Date.parse('2026-06-01T00:00:00Z');
const errorsOf = (body: object) => {
  try {
    readApiKeyBody(body, nowMs);
  } catch (error) {
    if (error instanceof Problem) return error.errors;
  }
  return undefined;
};

it('omits limits whose form fields are empty, when everything is chosen', () => {
  const empty = { label: ' server 1 ', scopes: 'all', expires_at: '', allowed_ips: ' \n' };
  expect(toKeyBody(empty, utc)).toEqual({ label: 'server 1' });
});

it('parses addresses, a time without seconds, and the checked scopes', () => {
  const values = {
    label: 'a',
    expires_at: '2026-12-31T23:59',
    allowed_ips: '203.0.113.7\r\n2001:db8::1, 10.0.0.0/8',
    scopes: 'some',
    'scopes:payments': 'on',
    'scopes:read': 'on',
  };
  const body = toKeyBody(values, { zone: 'Europe/Berlin' });
  const limits = {
    expires_at: '2026-12-31T22:59:00.000Z',
    allowed_ips: ['203.0.113.7/32', '2001:db8::1/128', '10.0.0.0/8'],
    scopes: ['payments', 'read'],
  };
  expect(body).toEqual({ label: 'a', ...limits });
  expect(limitsIn(readApiKeyBody(body, nowMs))).toEqual(limits);
});

describe('a form in which nothing was chosen (R21.9)', () => {
  it.each([{}, { scopes: '' }, { scopes: 'some' }, { scopes: 'some', 'scopes:read': '' }])(
    'is an error, and no key for everything: %j',
    (values) => {
      const error = {
        pointer: '/scopes',
        code: 'field_invalid',
        detail: 'must have at least one entry',
      };
      expect(errorsOf(toKeyBody({ label: 'a', ...values }, utc))).toEqual([error]);
    },
  );

  it('ignores boxes that “everything” has hidden', () => {
    expect(toKeyBody({ label: 'a', scopes: 'all', 'scopes:read': 'on' }, utc)).toEqual({
      label: 'a',
    });
  });
});

it('refuses a key that has expired before it exists (R1.18)', () => {
  const error = { pointer: '/expires_at', code: 'field_invalid', detail: 'must be in the future' };
  for (const expires_at of ['2026-05-31T23:59:59Z', '2026-06-01T00:00:00Z'])
    expect(errorsOf({ label: 'a', expires_at })).toEqual([error]);
  expect(errorsOf({ label: 'a', expires_at: '2026-06-01T00:00:01Z' })).toBeUndefined();
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
])('rejects %j as a new key', (body) => expect(errorsOf(body)).toHaveLength(1));

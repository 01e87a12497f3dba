import { describe, expect, it } from 'vitest';
import { ConfigError } from '#shared/platform/config/load.ts';
import { testKeyPair } from '#shared/platform/event-store/testing/log-keys.ts';
import { signingServices } from './services.ts';
import { loadSettings } from './settings.ts';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadSettings(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('the settings of a stack', () => {
  it('have defaults for everything', () => {
    expect(loadSettings({})).toMatchObject({ GATEWAY_PORT: 8080, DEMO: true, DATA_DIR: '.data' });
    expect(loadSettings({})).not.toHaveProperty('DATABASE_URL');
  });

  it('report every invalid variable at once, including contradictions', () => {
    const problems = problemsOf({
      GATEWAY_PORT: '9000',
      ADMIN_PORT: '9000',
      DEMO: 'perhaps',
      NATS_URL: 'http://h',
      EVENT_STORE_URL: 'localhost',
      STOP_DELAY_MS: 'long',
    });
    const named = problems.map((problem) => problem.split(/[: ]/)[0]);
    const wrong = ['ADMIN_PORT', 'DEMO', 'EVENT_STORE_URL', 'NATS_URL', 'STOP_DELAY_MS'];
    expect(new Set(named)).toEqual(new Set(wrong));
  });

  it.each([
    ['EVENT_STORE_URL', 'esdb://:bad'],
    ['EVENT_STORE_URL', 'esdb://user:password@host:1/?tls=perhaps'],
    ['DATABASE_URL', 'postgres://user:password@host:bad/name'],
  ])(
    'name %s once, without its value, if a service could not use it: %s (R19.1)',
    (name, value) => {
      const [problem = '', ...others] = problemsOf({ [name]: value });
      expect(problem.split(':')[0]).toBe(name);
      expect(problem).not.toContain(value.slice(8));
      expect(others).toEqual([]);
    },
  );

  it('take the connection strings that the clients take', () => {
    for (const EVENT_STORE_URL of [
      'esdb://127.0.0.1:2113?tls=false',
      'esdb+discover://a:b@h1:1,h2:2?nodePreference=leader',
      'kurrentdb://h:2113?tls=false',
      'kdb+discover://h',
    ])
      expect(problemsOf({ EVENT_STORE_URL })).toEqual([]);
    for (const DATABASE_URL of [
      'postgres://u:p@127.0.0.1:5432/gateway',
      'postgresql:///gateway?host=/run/postgresql',
      'postgres://u:p@/gateway?host=/run/postgresql',
      'postgres://u:a b%20c@[::1]:5432/gateway',
    ])
      expect(problemsOf({ DATABASE_URL })).toEqual([]);
  });

  it('report no valid variable along with invalid ones', () => {
    expect(problemsOf({ NODE_ENV: 'prod' })).toEqual([expect.stringMatching(/^NODE_ENV: /)]);
    expect(problemsOf({ GATEWAY_PORT: 'x', ADMIN_PORT: 'y' })).toHaveLength(2);
    const both = problemsOf({ NODE_ENV: 'prod', GATEWAY_PORT: '9000', ADMIN_PORT: '9000' });
    expect(both.map((problem) => problem.split(':')[0])).toEqual(['NODE_ENV', 'ADMIN_PORT']);
  });

  it('require the keys of a bucket if one is configured', () => {
    expect(problemsOf({ RECEIPT_STORE_URL: 's3://receipts', S3_ACCESS_KEY_ID: 'id' })).toEqual([
      'S3_SECRET_ACCESS_KEY must be set where RECEIPT_STORE_URL is',
    ]);
    expect(problemsOf({ RECEIPT_STORE_URL: 'file:///tmp' })).toHaveLength(1);
  });

  it('require different keys for personal data, credentials and callbacks', () => {
    const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
    const [one, other, third] = [keyOf(1), keyOf(2), keyOf(3)];
    const both = { PERSONAL_DATA_KEY: one, PROVIDER_CREDENTIALS_KEY: other };
    expect(problemsOf(both)).toEqual([]);
    const keys = { ...both, PROVIDER_CALLBACKS_KEY: third };
    expect(problemsOf(keys)).toEqual([]);
    const same = ['PROVIDER_CREDENTIALS_KEY: must be another key than PERSONAL_DATA_KEY'];
    expect(problemsOf({ ...keys, PROVIDER_CREDENTIALS_KEY: one })).toEqual(same);
    expect(problemsOf({ ...keys, PERSONAL_DATA_KEY_PREVIOUS: other })).toEqual(same);
    const callbacks = (name: string) => [
      `PROVIDER_CALLBACKS_KEY: must be another key than ${name}`,
    ];
    expect(problemsOf({ ...keys, PROVIDER_CALLBACKS_KEY: one })).toEqual(
      callbacks('PERSONAL_DATA_KEY'),
    );
    expect(problemsOf({ ...keys, PROVIDER_CALLBACKS_KEY_PREVIOUS: other })).toEqual(
      callbacks('PROVIDER_CREDENTIALS_KEY'),
    );
  });

  it('require a key of the log for each service that appends', () => {
    const keys = signingServices.map(testKeyPair);
    expect(problemsOf({ LOG_SIGNING_KEYS: keys.join(',') })).toEqual([]);
    const others = keys.filter((pair) => !pair.startsWith('webhooks='));
    expect(problemsOf({ LOG_SIGNING_KEYS: others.join(',') })).toEqual([
      'LOG_SIGNING_KEYS: has no key of webhooks',
    ]);
    const services = keys.filter((pair) => !pair.startsWith('audit='));
    const scheduled = { LOG_SIGNING_KEYS: services.join(','), AUDIT_EVERY_S: '3600' };
    expect(problemsOf(scheduled)).toEqual(['LOG_SIGNING_KEYS: has no key of audit']);
  });

  it('allow port 0 for several services', () => {
    expect(problemsOf({ GATEWAY_PORT: '0', ADMIN_PORT: '0' })).toEqual([]);
  });

  it('require every secret in production, and no private webhooks (R19.2)', () => {
    const problems = problemsOf({ NODE_ENV: 'production', WEBHOOK_ALLOW_PRIVATE: '1' });
    expect(problems).toEqual([
      'ADMIN_TOKEN must be set',
      'RECEIPT_URL_SECRET must be set',
      'PERSONAL_DATA_KEY must be set',
      'PROVIDER_CREDENTIALS_KEY must be set',
      'PROVIDER_CALLBACKS_KEY must be set',
      'CHECKPOINT_SIGNING_KEY must be set',
      'LOG_SIGNING_KEYS must be set',
      'SANDBOX_API_KEY must be set',
      'SANDBOX_CALLBACK_SECRET must be set',
      'WEBHOOK_ALLOW_PRIVATE: 1 is refused in production',
    ]);
  });
});

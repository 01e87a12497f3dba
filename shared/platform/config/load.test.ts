import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './load.ts';

describe('loadConfig', () => {
  it('applies defaults for unset and empty variables (R19.1)', () => {
    expect(loadConfig(['GATEWAY_PORT', 'DEMO'], { GATEWAY_PORT: '' })).toEqual({
      GATEWAY_PORT: 8080,
      DEMO: true,
    });
  });

  it('reports all invalid variables at once, by name and without their values (R19.1)', () => {
    const env = { GATEWAY_PORT: '99999999', ADMIN_TOKEN: 'tooshort', DEMO: 'yes' };
    const load = () => loadConfig(['GATEWAY_PORT', 'ADMIN_TOKEN', 'DEMO', 'DATABASE_URL'], env);
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/GATEWAY_PORT[^]*ADMIN_TOKEN[^]*DEMO[^]*DATABASE_URL must be set/);
    expect(load).not.toThrow(/tooshort/);
  });

  it.each(['abc', '1.5', '-1', '65536'])('reports the valid range for port %s (R19.1)', (port) => {
    expect(() => loadConfig(['GATEWAY_PORT'], { GATEWAY_PORT: port })).toThrow(
      /\n {2}GATEWAY_PORT: must be a whole number from 0 to 65535$/,
    );
  });

  it('validates NODE_ENV even if other variables are requested, and has a default for it', () => {
    expect(() => loadConfig(['DEMO'], { NODE_ENV: 'prod' })).toThrow(/NODE_ENV/);
    expect(loadConfig(['DEMO'], { NODE_ENV: 'production' })).toEqual({ DEMO: true });
    expect(loadConfig(['NODE_ENV'], {})).toEqual({ NODE_ENV: 'development' });
  });

  it('rejects WEBHOOK_ALLOW_PRIVATE in production', () => {
    const load = (NODE_ENV: string) =>
      loadConfig(['WEBHOOK_ALLOW_PRIVATE'], { NODE_ENV, WEBHOOK_ALLOW_PRIVATE: '1' });
    expect(() => load('production')).toThrow('WEBHOOK_ALLOW_PRIVATE: 1 is refused in production');
    expect(load('test')).toEqual({ WEBHOOK_ALLOW_PRIVATE: true });
  });

  it.each([
    ['that is not base64', 'whsec_@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@'],
    ['with a stray character', `whsec_${'A'.repeat(20)}!${'A'.repeat(24)}`],
    ['without padding', `whsec_${'A'.repeat(43)}`],
    ['of 23 bytes', `whsec_${Buffer.alloc(23, 1).toString('base64')}`],
    ['in the base64url alphabet', `whsec_${Buffer.alloc(24, 255).toString('base64url')}`],
    ['without its prefix', Buffer.alloc(32, 1).toString('base64')],
    ['without bytes', 'whsec_'],
  ])('rejects a secret %s (R19.2)', (_, secret) => {
    for (const name of ['SANDBOX_CALLBACK_SECRET', 'SANDBOX_CALLBACK_SECRET_PREVIOUS'] as const) {
      expect(() => loadConfig([name], { [name]: secret })).toThrow(`${name}: must be whsec_`);
      const good = `whsec_${Buffer.alloc(24, 255).toString('base64')}`;
      expect(loadConfig([name], { [name]: good })).toEqual({ [name]: good });
    }
  });

  it('parses a retry schedule into milliseconds', () => {
    expect(
      loadConfig(['WEBHOOK_RETRY_SCHEDULE'], { WEBHOOK_RETRY_SCHEDULE: '0s,50ms,5m,2h' }),
    ).toEqual({ WEBHOOK_RETRY_SCHEDULE: [0, 50, 300_000, 7_200_000] });
    expect(loadConfig(['WEBHOOK_RETRY_SCHEDULE'], {}).WEBHOOK_RETRY_SCHEDULE).toHaveLength(10);
    expect(() =>
      loadConfig(['WEBHOOK_RETRY_SCHEDULE'], { WEBHOOK_RETRY_SCHEDULE: 'soon' }),
    ).toThrow(/WEBHOOK_RETRY_SCHEDULE/);
  });
});

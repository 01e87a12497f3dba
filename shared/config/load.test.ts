import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './load.ts';

describe('the environment', () => {
  it('gives defaults for what is not set or empty', () => {
    expect(loadConfig(['GATEWAY_PORT', 'DEMO'], { GATEWAY_PORT: '' })).toEqual({
      GATEWAY_PORT: 8080,
      DEMO: true,
    });
  });

  it('reports every bad variable at once, by name and without its value', () => {
    const env = { GATEWAY_PORT: '99999999', ADMIN_TOKEN: 'tooshort', DEMO: 'yes' };
    const load = () => loadConfig(['GATEWAY_PORT', 'ADMIN_TOKEN', 'DEMO', 'DATABASE_URL'], env);
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/GATEWAY_PORT[^]*ADMIN_TOKEN[^]*DEMO[^]*DATABASE_URL must be set/);
    expect(load).not.toThrow(/tooshort/);
  });

  it('reads a retry schedule in milliseconds', () => {
    expect(loadConfig(['WEBHOOK_RETRY_SCHEDULE'], { WEBHOOK_RETRY_SCHEDULE: '0s,50ms,5m,2h' })).toEqual({
      WEBHOOK_RETRY_SCHEDULE: [0, 50, 300_000, 7_200_000],
    });
    expect(loadConfig(['WEBHOOK_RETRY_SCHEDULE'], {}).WEBHOOK_RETRY_SCHEDULE).toHaveLength(10);
    expect(() => loadConfig(['WEBHOOK_RETRY_SCHEDULE'], { WEBHOOK_RETRY_SCHEDULE: 'soon' })).toThrow(
      /WEBHOOK_RETRY_SCHEDULE/,
    );
  });
});

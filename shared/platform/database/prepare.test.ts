import { describe, expect, it } from 'vitest';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { prepareDatabase } from './prepare.ts';

describe('a database that starts beside the service', () => {
  it('is waited for, without a warning', async () => {
    const told: string[] = [];
    const logger = createLogger('test', 'silent');
    for (const level of ['debug', 'warn'] as const) logger[level] = () => void told.push(level);
    const { signal } = new AbortController();
    let tries = 0;
    const prepare = () => {
      tries += 1;
      return tries < 3 ? Promise.reject(new Error('connect ECONNREFUSED')) : Promise.resolve();
    };
    expect(await prepareDatabase(prepare, { logger, signal, againMs: 1 })).toBe(true);
    expect(told).toEqual(['debug', 'debug']);
  });
});

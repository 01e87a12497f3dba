import { describe, expect, it } from 'vitest';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { prepareDatabase } from './prepare.ts';

describe('prepareDatabase', () => {
  it('retries without a warning while the database starts', async () => {
    const levels: string[] = [];
    const logger = createLogger('test', 'silent');
    for (const level of ['debug', 'warn'] as const) logger[level] = () => void levels.push(level);
    const { signal } = new AbortController();
    let tries = 0;
    const prepare = () => {
      tries += 1;
      return tries < 3 ? Promise.reject(new Error('connect ECONNREFUSED')) : Promise.resolve();
    };
    expect(await prepareDatabase(prepare, { logger, signal, againMs: 1 })).toBe(true);
    expect(levels).toEqual(['debug', 'debug']);
  });
});

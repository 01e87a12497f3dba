import { describe, expect, it } from 'vitest';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { prepareDatabase } from './prepare.ts';

/** Lines at `info` and above while a database fails once a second for this long. */
async function linesWhileFailing(error: Error, forS: number): Promise<object[]> {
  const lines: object[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => {
      const { level, msg, reason, waitedS, ...more } = JSON.parse(line) as Record<string, unknown>;
      lines.push({ level, msg, reason, waitedS, ...('err' in more && { err: more['err'] }) });
    },
  });
  let second = 0;
  const prepare = async () => {
    second += 1;
    if (second < forS) throw error;
  };
  const { signal } = new AbortController();
  const now = () => second * 1000;
  expect(await prepareDatabase(prepare, { logger, signal, againMs: 0, now })).toBe(true);
  return lines;
}

describe('prepareDatabase', () => {
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:5432');
  const line = { msg: 'waiting for PostgreSQL', reason: refused.message };

  it('waits silently while the database starts', async () => {
    expect(await linesWhileFailing(refused, 10)).toEqual([]);
  });

  it('logs a wait after 10 s and then every 30 s, in one line without a stack', async () => {
    expect(await linesWhileFailing(refused, 75)).toEqual([
      { ...line, level: 'info', waitedS: 10 },
      { ...line, level: 'info', waitedS: 40 },
      { ...line, level: 'info', waitedS: 70 },
    ]);
  });

  it('warns of a database that answers with a refusal', async () => {
    const wrong = Object.assign(new Error('password authentication failed'), { code: '28P01' });
    expect(await linesWhileFailing(wrong, 20)).toEqual([
      { ...line, level: 'warn', reason: wrong.message, waitedS: 10 },
    ]);
  });
});

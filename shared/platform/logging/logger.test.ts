import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { markLoggedElsewhere } from './logged-elsewhere.ts';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let line = '';
  write(createLogger('test', 'info', { write: (text) => void (line += text) }));
  return JSON.parse(line) as Record<string, unknown>;
}

const key = 'gw_abcdefghijklmnopqrstuvwxyz0123456789ABCD';

it('logs an error that is logged elsewhere at debug level only', () => {
  const lines = (level: string): string[] => {
    const written: string[] = [];
    const logger = createLogger('test', level, { write: (text) => void written.push(text) });
    const error = new Error('no answer');
    markLoggedElsewhere(error);
    logger.warn({ err: error }, 'the feed is interrupted');
    logger.error({ err: new Error('a read failed', { cause: error }) }, 'request failed');
    logger.warn({ cause: error, receipt: 1 }, 'no evidence');
    logger.warn(error);
    logger.warn({ err: new Error('another') }, 'unrelated');
    return written.map((line) => (JSON.parse(line) as { level: string; msg: string }).level);
  };
  expect(lines('info')).toEqual(['warn']);
  expect(lines('debug')).toEqual(['debug', 'debug', 'debug', 'debug', 'warn']);
});

describe('a log line', () => {
  it('stays valid JSON with long numbers', () => {
    expect(
      logged((l) => l.info({ position: 1234567890, list: [1234567890123] }, 'at')),
    ).toMatchObject({
      service: 'test',
      level: 'info',
      position: 1234567890,
      list: [1234567890123],
      msg: 'at',
    });
  });

  it('redacts named fields at any depth', () => {
    const request = {
      destination: { name: 'IVAN', number: '1234', bank: 'x' },
      Authorization: 'y',
    };
    expect(logged((l) => l.info({ a: { operation: { request } } }))['a']).toEqual({
      operation: {
        request: {
          destination: { name: '[redacted]', number: '[redacted]', bank: 'x' },
          Authorization: '[redacted]',
        },
      },
    });
  });

  it('masks keys in fields, in messages and in their arguments (R17.9)', () => {
    expect(logged((l) => l.info({ a: [key] }, `m ${key} %s %o`, key, { b: key }))).toMatchObject({
      a: ['gw_[redacted]'],
      msg: `m gw_[redacted] gw_[redacted] {"b":"gw_[redacted]"}`,
    });
  });

  it.each([
    ['as err', (e: Error) => ({ err: e })],
    ['alone', (e: Error) => e],
  ])('contains only type, message, stack and code of an error logged %s', (_, toArgument) => {
    const error = Object.assign(new TypeError(`no ${key}`), {
      code: '23505',
      detail: 'Key (number)=(1234) exists',
      parameters: ['x'],
    });
    const line = logged((l) => l.error(toArgument(error)));
    expect(line['err']).toEqual({
      type: 'TypeError',
      message: 'no gw_[redacted]',
      stack: expect.stringContaining('logger.test.ts') as string,
      code: '23505',
    });
    expect(line['msg']).toBe('no gw_[redacted]');
    expect(JSON.stringify(line)).not.toContain(key);
  });

  it('is bounded in depth and size, even with circular references', () => {
    const circle: Record<string, unknown> = {
      list: Array.from({ length: 5000 }, () => 'x'),
      text: 'y'.repeat(1e6),
    };
    circle['self'] = circle;
    expect(JSON.stringify(logged((l) => l.info({ circle }))).length).toBeLessThan(20_000);
    const deep = logged((l) =>
      l.info({ a: { self: undefined, circle: { b: { c: { d: { e: { f: { g: {} } } } } } } } }),
    );
    expect(JSON.stringify(deep)).toContain('[too deep]');
  });
});

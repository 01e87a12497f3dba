import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput, parseLine } from './output.ts';

const now = new Date('2026-01-31T12:00:00.123Z');
const parse = (line: string) => parseLine(line, { now });

describe('a log line of a process', () => {
  it('is parsed in the format of any program', () => {
    expect(
      parse(
        '{"level":"warn","time":"2026-01-31T11:00:00.000Z","service":"admin","msg":"slow","durationMs":12}',
      ),
    ).toEqual({ severity: 'warn', time: '11:00:00.000', text: 'slow durationMs=12' });
    expect(parse('{"time":"2026-01-31T11:00:00.000Z","message":"ready","port":1}')).toMatchObject({
      severity: 'info',
      text: 'ready port=1',
    });
    expect(parse('[123] [ERR] no space left')).toMatchObject({
      severity: 'error',
      text: 'no space left',
    });
    expect(parse('[123] [INF] Server is ready')).toMatchObject({ severity: 'debug' });
    expect(parse('FATAL:  could not open file')).toMatchObject({
      severity: 'warn',
      text: 'could not open file',
    });
    expect(parse('LOG:  checkpoint starting')).toMatchObject({ severity: 'debug' });
    expect(parse('{not json')).toEqual({
      severity: 'info',
      time: '12:00:00.123',
      text: '{not json',
    });
    expect(parseLine('TypeError: x', { now, plain: 'error' })?.severity).toBe('error');
    expect(parse('  \u001b[31m\u001b[0m ')).toBeUndefined();
  });

  it('includes the stack trace of an error', () => {
    const line = JSON.stringify({
      level: 'error',
      msg: 'failed',
      err: { message: 'no', stack: 'Error: no\n  at x' },
    });
    expect(parse(line)?.text).toBe('failed err=Error: no\n      at x');
  });
});

describe('the console', () => {
  it('prefixes lines with the process, and hides lines below LOG_LEVEL but access logs', () => {
    const stream = new PassThrough() as unknown as NodeJS.WriteStream;
    const { line, log } = createOutput({
      stream,
      level: 'warn',
      names: ['admin', 'merchant-api'],
    });
    line('admin', '{"level":"info","time":"2026-01-31T11:00:00.000Z","msg":"hidden"}');
    line('admin', '{"level":"error","time":"2026-01-31T11:00:00.000Z","msg":"shown"}');
    line('admin', '{"level":"info","time":"2026-01-31T11:00:00.000Z","msg":"seen","log":"access"}');
    log('debug', 'hidden');
    expect(String(stream.read())).toBe(
      'admin        | 11:00:00.000 error shown\nadmin        | 11:00:00.000 info  seen log=access\n',
    );
  });

  it('hides what children report until the start is over, but no fault (R19.9)', () => {
    const stream = new PassThrough() as unknown as NodeJS.WriteStream;
    const names = ['admin'];
    const { line, log, showInfo } = createOutput({ stream, level: 'info', names });
    const print = (level: string, msg: string) =>
      line('admin', `{"level":"${level}","time":"2026-01-31T11:00:00.000Z","msg":"${msg}"}`);
    print('info', 'listening');
    print('warn', 'a fault');
    showInfo();
    print('info', 'shown');
    log('debug', 'hidden');
    expect(String(stream.read())).toBe(
      'admin | 11:00:00.000 warn  a fault\nadmin | 11:00:00.000 info  shown\n',
    );
  });
});

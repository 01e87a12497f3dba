import { describe, expect, it } from 'vitest';
import { arrayText, storableJson } from './upsert.ts';

describe('JSON for PostgreSQL', () => {
  it('equals JSON.stringify for any storable text', () => {
    const value = { name: 'Иван 😀 "\\u0000"', amount: '0.10', at: new Date(0), none: null };
    expect(JSON.parse(storableJson(value))).toEqual({ ...value, at: '1970-01-01T00:00:00.000Z' });
  });

  it('replaces U+0000 and lone surrogates by U+FFFD, at any depth', () => {
    expect(JSON.parse(storableJson([{ text: 'a\0b', deep: { text: 'x\uD83D' } }, '😀']))).toEqual([
      { text: 'a\uFFFDb', deep: { text: 'x\uFFFD' } },
      '😀',
    ]);
  });
});

describe('an array literal for PostgreSQL', () => {
  it('contains numbers, times, nulls and plain words unquoted', () => {
    expect(arrayText([1, true, null, 'abc', '-10.00', new Date(0)])).toBe(
      '{1,true,NULL,abc,-10.00,1970-01-01T00:00:00.000Z}',
    );
  });

  it('writes years before 1 as BC', () => {
    const times = [
      '0000-02-29T12:00:00.500Z',
      '-000001-12-31T00:00:00.000Z',
      '0001-01-01T00:00:00.000Z',
    ];
    expect(arrayText(times.map((time) => new Date(time)))).toBe(
      '{"0001-02-29T12:00:00.500Z BC","0002-12-31T00:00:00.000Z BC",0001-01-01T00:00:00.000Z}',
    );
  });

  it('quotes ambiguous texts, and writes objects as JSON', () => {
    expect(arrayText(['', 'null', 'a b', '{x}', 'a"b\\c', { a: 'x' }, []])).toBe(
      String.raw`{"","null","a b","{x}","a\"b\\c","{\"a\":\"x\"}",[]}`,
    );
  });

  it('replaces what PostgreSQL’s text cannot hold by U+FFFD', () => {
    expect(arrayText(['a\0b', 'x\uD83D', { text: '\0' }])).toBe(
      String.raw`{a` +
        '\uFFFDb,x\uFFFD,' +
        String.raw`"{\"text\":\"` +
        '\uFFFD' +
        String.raw`\"}"}`,
    );
  });
});

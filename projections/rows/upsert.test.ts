import { describe, expect, it } from 'vitest';
import { arrayText, storableJson } from './upsert.ts';

describe('JSON for PostgreSQL', () => {
  it('is what JSON.stringify gives, for all that a text can hold', () => {
    const value = { name: 'Иван 😀 "\\u0000"', amount: '0.10', at: new Date(0), none: null };
    expect(JSON.parse(storableJson(value))).toEqual({ ...value, at: '1970-01-01T00:00:00.000Z' });
  });

  it('has U+FFFD for U+0000 and for half of a surrogate pair, at any depth', () => {
    expect(JSON.parse(storableJson([{ text: 'a\0b', deep: { text: 'x\uD83D' } }, '😀']))).toEqual([
      { text: 'a\uFFFDb', deep: { text: 'x\uFFFD' } },
      '😀',
    ]);
  });
});

describe('an array as text for PostgreSQL', () => {
  it('has numbers, times, nulls and plain words as they are', () => {
    expect(arrayText([1, true, null, 'abc', '-10.00', new Date(0)])).toBe(
      '{1,true,NULL,abc,-10.00,1970-01-01T00:00:00.000Z}',
    );
  });

  it('has times of years that PostgreSQL calls by another name', () => {
    const times = [
      '0000-02-29T12:00:00.500Z',
      '-000001-12-31T00:00:00.000Z',
      '0001-01-01T00:00:00.000Z',
    ];
    expect(arrayText(times.map((time) => new Date(time)))).toBe(
      '{"0001-02-29T12:00:00.500Z BC","0002-12-31T00:00:00.000Z BC",0001-01-01T00:00:00.000Z}',
    );
  });

  it('quotes what would be read as something else, and objects as JSON', () => {
    expect(arrayText(['', 'null', 'a b', '{x}', 'a"b\\c', { a: 'x' }, []])).toBe(
      String.raw`{"","null","a b","{x}","a\"b\\c","{\"a\":\"x\"}",[]}`,
    );
  });

  it('has U+FFFD for what text there can not hold', () => {
    expect(arrayText(['a\0b', 'x\uD83D', { text: '\0' }])).toBe(
      String.raw`{a` +
        '\uFFFDb,x\uFFFD,' +
        String.raw`"{\"text\":\"` +
        '\uFFFD' +
        String.raw`\"}"}`,
    );
  });
});

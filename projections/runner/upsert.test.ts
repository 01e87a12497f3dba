import { describe, expect, it } from 'vitest';
import { storableJson } from './upsert.ts';

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

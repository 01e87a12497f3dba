import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, harmless } from './line.ts';

/** What a program does to have a text as it was (docs/operators/exports.md). */
const asItWas = (text: string) =>
  text.replace(/^'(?=[' ]*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])'(?=[' ]*[=+\-@＝＋－＠])/g, '');

const foreign = (value: string) => ({ value, foreign: true });
const own = (value: string | null) => ({ value, foreign: false });

describe('a line of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
    ['-5', "'-5"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['  =1', "'  =1"],
    ['＝1', "'＝1"],
    ["'=1", "''=1"],
    ['x;=1', "x;'=1"],
    ['x\n+1', "x\n'+1"],
    ['order-1', 'order-1'],
    ['a=b', 'a=b'],
    ["'t Hof", "'t Hof"],
    ['a\r\n\r\nb', 'a\r\n\r\nb'],
  ])('makes %j harmless as %j', (text, expected) => {
    expect(harmless(text)).toBe(expected);
    expect(asItWas(expected)).toBe(text);
  });

  it('begins no formula, and can be had as it was (R16.16)', () => {
    const unit = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      "'",
      ' ',
      ';',
      ',',
      '"',
      '\t',
      '\r',
      '\n',
      'x',
      '＝',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const written = harmless(text);
        expect(written).not.toMatch(/^ *[=+\-@\t\r\n＝＋－＠]|[;\t\r\n] *[=+\-@＝＋－＠]/);
        expect(asItWas(written)).toBe(text);
      }),
    );
  });

  it('leaves amounts as they are, below zero too (R16.16)', () => {
    expect(csvLine([own('-97.50'), own('0.00'), own(null), foreign('-97.50')])).toBe(
      "-97.50,0.00,,'-97.50\r\n",
    );
  });

  it('quotes what would end a cell, in any spreadsheet', () => {
    expect(
      csvLine([foreign('a,b'), foreign('say "hi"'), foreign('a;b'), foreign('a\nb'), own('x')]),
    ).toBe('"a,b","say ""hi""","a;b","a\nb",x\r\n');
  });
});

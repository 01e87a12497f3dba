import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, harmless } from './line.ts';

/** How a program restores the original text (docs/operators/exports.md). */
const unescapeText = (text: string) =>
  text.replace(/^'(?=[' ]*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])'(?=[' ]*[=+\-@＝＋－＠])/g, '');

const foreign = (value: string) => ({ value, foreign: true });
const own = (value: string | null) => ({ value, foreign: false });

describe('CSV line', () => {
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
  ])('escapes %j as %j', (text, expected) => {
    expect(harmless(text)).toBe(expected);
    expect(unescapeText(expected)).toBe(text);
  });

  it('never starts a formula, and its escaping can be undone (R16.16)', () => {
    const unit = fc.constantFrom(...`=+-@' ;,"\t\r\nx＝`.split(''));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const escaped = harmless(text);
        expect(escaped).not.toMatch(/^ *[=+\-@\t\r\n＝＋－＠]|[;\t\r\n] *[=+\-@＝＋－＠]/);
        expect(unescapeText(escaped)).toBe(text);
      }),
    );
  });

  it('escapes a leading minus in texts, but not in amounts (R16.16)', () => {
    expect(csvLine([own('-97.50'), own('0.00'), own(null), foreign('-97.50')])).toBe(
      "-97.50,0.00,,'-97.50\r\n",
    );
  });

  it('quotes separators, quotes and line breaks', () => {
    expect(
      csvLine([foreign('a,b'), foreign('say "hi"'), foreign('a;b'), foreign('a\nb'), own('x')]),
    ).toBe('"a,b","say ""hi""","a;b","a\nb",x\r\n');
  });
});

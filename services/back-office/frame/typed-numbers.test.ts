import { describe, expect, it } from 'vitest';
import { typedAmount, typedPercent } from './typed-numbers.ts';

describe('a typed amount', () => {
  it.each([
    ['600', '600.00'],
    ['600,00', '600.00'],
    ['600.5', '600.50'],
    [' 0 ', '0.00'],
    ['1 500,00', '1500.00'],
    ['1\u{A0}500\u{202F}000', '1500000.00'],
    ['-100', '-100.00'],
    ['−2,5', '-2.50'],
    ['+7', '7.00'],
    ['100.00', '100.00'],
  ])('%s is read as %s', (text, amount) => {
    expect(typedAmount(text)).toBe(amount);
  });

  it.each(['', '1,000', '1.000', '1,000.00', '12 34', '1e3', 'much', '--1', '5 %'])(
    'is left unchanged if it is ambiguous: “%s”',
    (text) => {
      expect(typedAmount(text)).toBe(text);
    },
  );
});

describe('a typed percentage', () => {
  it.each([
    ['2,5', '2.5'],
    ['2.5 %', '2.5'],
    ['3%', '3'],
    ['0', '0'],
    ['1,2,3', '1,2,3'],
    ['x', 'x'],
  ])('%s is read as %s', (text, percent) => {
    expect(typedPercent(text)).toBe(percent);
  });
});

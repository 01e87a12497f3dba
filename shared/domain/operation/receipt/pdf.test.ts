import { expect, it } from 'vitest';
import { isPdf } from './pdf.ts';

it.each([
  [true, '%PDF-1.7\n'],
  [true, '\ufeff%PDF-1.4'],
  [true, `${'\n'.repeat(1_019)}%PDF-`],
  [false, `${'\n'.repeat(1_020)}%PDF-`],
  [false, '%PDF'],
  [false, '%pdf-1.4'],
  [false, 'PK\u0003\u0004 a document'],
  [false, ''],
])('recognises a PDF by its first bytes: %s', (expected, content) => {
  expect(isPdf(Buffer.from(content))).toBe(expected);
});

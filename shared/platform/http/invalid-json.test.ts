import { expect, it } from 'vitest';
import { explainInvalidJson } from './invalid-json.ts';

const notValid = 'the body is not valid JSON';

it.each([
  ['', `${notValid}: it ends too early, at line 1, column 1`],
  ['{', `${notValid}: it ends too early, at line 1, column 2`],
  ['{"amount": "100.00"', `${notValid}: it ends too early, at line 1, column 20`],
  ['{"amount": "100', `${notValid}: it ends too early, at line 1, column 16`],
  ["{'amount': 1}", `${notValid} at line 1, column 2`],
  ['{"amount": 100.00,}', `${notValid} at line 1, column 19`],
  ['{\n  "amount": 1\n  "currency": "RUB"\n}', `${notValid} at line 3, column 3`],
  ['{"a": [1, 2, nul]}', `${notValid} at line 1, column 14`],
  ['{"a": 01}', `${notValid} at line 1, column 8`],
  ['{"a": "\t"}', `${notValid} at line 1, column 8`],
  [String.raw`{"a": "\x"}`, `${notValid} at line 1, column 8`],
  ['{"имя": "Иван" "b": 1}', `${notValid} at line 1, column 16`],
  ['{} {}', `${notValid} at line 1, column 4`],
])('names the place where %j stops being JSON (R2.14)', (text, detail) => {
  expect(() => void JSON.parse(text)).toThrow(SyntaxError);
  expect(explainInvalidJson(text)).toBe(detail);
});

it('finds a fault in a body of the largest size', () => {
  const text = `{"a": "${'\\u0041'.repeat(10_000)}", "b": [${'1,'.repeat(1_000)}]}`;
  expect(explainInvalidJson(text)).toBe(`${notValid} at line 1, column ${text.length - 1}`);
});

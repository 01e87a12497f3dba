import { expect, it } from 'vitest';
import { translator } from '#shared/application/pages/words.ts';
import { debtExplained, type View } from './components.ts';

it.each([
  ['-40.00', '0.00', true],
  ['-40.00', '10.00', true],
  ['-40.00', '40.00', false],
  ['5.00', '0.00', false],
])('a debt beside the balance %s is %s: explained %s', (balance, currentMinus, isExplained) => {
  const view = { language: 'en', t: translator('en') } as View;
  expect(debtExplained(view, [{ balance, currentMinus }]) !== '').toBe(isExplained);
});

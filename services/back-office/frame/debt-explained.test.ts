import { expect, it } from 'vitest';
import { translator } from '#shared/application/pages/translations.ts';
import { debtExplained, type View } from './components.ts';

it.each([
  ['-40.00', '0.00', true],
  ['-40.00', '10.00', true],
  ['-40.00', '40.00', false],
  ['5.00', '0.00', false],
])('with balance %s and debt %s, explains the debt: %s', (balance, currentMinus, isExplained) => {
  const view = { language: 'en', t: translator('en') } as View;
  expect(debtExplained(view, [{ balance, currentMinus }]) !== '').toBe(isExplained);
});

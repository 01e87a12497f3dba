import { expect, it } from 'vitest';
import { summarizeRules, summaryText } from './summary.ts';

it('counts a rule as checked if it had something to check (R18.16)', () => {
  const summary = summarizeRules([
    { checked: 3, violations: 0 },
    { checked: 0, violations: 0 },
    { checked: 5, violations: 2 },
    { checked: 0, violations: 1 },
  ]);
  expect(summary).toEqual({ rules: 4, checked: 3, not_applicable: 1, violated: 2, findings: 3 });
  expect(summaryText(summary, 'en')).toBe('rules: 4, checked: 3, not applicable: 1, findings: 3');
  expect(summaryText(summary, 'ru')).toBe('правил: 4, проверено: 3, неприменимо: 1, находок: 3');
});

import { expect, it } from 'vitest';
import { renderField } from '../../frame/form-fields.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import { reviewFields } from './review.ts';

it('labels the amount as required to approve, in both languages, and not as a required field', () => {
  const amount = reviewFields([]).find(({ name }) => name === 'actual_amount');
  if (!amount) throw new Error('no field for the amount');
  const shown = (language: 'ru' | 'en') =>
    renderToText(renderField({ t: (words) => words[language] }, amount, { value: '' }));
  expect(shown('en')).toContain('required to approve');
  expect(shown('ru')).toContain('обязательно для одобрения');
  expect(shown('en')).not.toMatch(/<input[^>]* required/);
});

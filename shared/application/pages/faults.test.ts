import { expect, it } from 'vitest';
import { z } from 'zod';
import { Problem, type FieldError } from '#shared/platform/http/problems.ts';
import { textOf } from '#shared/platform/pages/html.ts';
import { noteText } from '#shared/platform/http/texts.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { View } from './components.ts';
import { explainFault } from './faults.ts';

const russian: Pick<View, 't'> = { t: ({ ru }) => ru };

function faultOf(note: string): FieldError | undefined {
  try {
    validate(z.strictObject({ note: noteText }), { note });
  } catch (error) {
    if (error instanceof Problem) return error.errors?.[0];
    throw error;
  }
  return undefined;
}

it('reports in the reader’s language that a field is empty', () => {
  const fault = faultOf('');
  expect(fault && textOf(explainFault(russian, fault))).toBe('заполните это поле');
});

it('requests an amount in the format of forms, not of the API', () => {
  const detail = 'must be a decimal with two places, such as "100.00"';
  const fault = { pointer: '/overdraft_RUB', code: 'amount_invalid', detail };
  expect(textOf(explainFault(russian, fault))).toContain('600 или 600,50');
  // What the API says beyond the form of the amount stays.
  const more = { ...fault, detail: 'must not be less than min_amount' };
  expect(textOf(explainFault(russian, more))).toContain('must not be less than min_amount');
});

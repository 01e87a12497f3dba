import { expect, it } from 'vitest';
import { z } from 'zod';
import { Problem, type FieldError } from '#shared/platform/http/problems.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
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

it('reports an empty field in the reader’s language', () => {
  const fault = faultOf('');
  expect(fault && renderToText(explainFault(russian, fault))).toBe('заполните это поле');
});

it('requires an amount in the format of the form, not of the API', () => {
  const detail = 'must be a decimal with two places, such as "100.00"';
  const fault = { pointer: '/overdraft_RUB', code: 'amount_invalid', detail };
  expect(renderToText(explainFault(russian, fault))).toContain('600 или 600,50');
  // Other details of the API are shown unchanged.
  const more = { ...fault, detail: 'must not be less than min_amount' };
  expect(renderToText(explainFault(russian, more))).toContain('must not be less than min_amount');
});

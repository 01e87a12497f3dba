import type { FieldError } from '#shared/platform/http/problems.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';
import type { Words } from './words.ts';

/** What the API's codes mean, in the reader's language; its own text says the rest. */
const faults: Readonly<Record<string, Words>> = {
  field_required: { ru: 'заполните это поле', en: 'this field is required' },
  field_unknown: { ru: 'такого поля нет', en: 'no such field' },
  field_invalid: { ru: 'недопустимое значение', en: 'invalid value' },
  invalid_json: { ru: 'это не JSON', en: 'not valid JSON' },
  amount_invalid: { ru: 'недопустимая сумма', en: 'invalid amount' },
  method_unknown: { ru: 'такого метода нет', en: 'no such method' },
  currency_unknown: { ru: 'такой валюты нет', en: 'no such currency' },
  currency_method_mismatch: {
    ru: 'метод не работает с этой валютой',
    en: 'the method does not take this currency',
  },
  day_not_over: { ru: 'день (UTC) ещё не закончился', en: 'the day (UTC) is not over' },
  reason_too_long: { ru: 'слишком длинно', en: 'too long' },
};

/** What forms say of themselves: they take amounts as people write them, and the API does not. */
const ofForms = {
  'must be a decimal with two places': {
    ru: 'недопустимая сумма: напишите её, например, так: 600 или 600,50',
    en: 'invalid amount: write it such as 600 or 600.50',
  },
  'must not be empty': { ru: 'заполните это поле', en: 'this field is required' },
} as const satisfies Record<string, Words>;

export function explainFault({ t }: Pick<View, 't'>, { code, detail }: FieldError): Html {
  const codeText = faults[code];
  const own = Object.entries(ofForms).find(([text]) => detail.startsWith(text))?.[1];
  const all = code === 'field_required' ? codeText : own;
  if (all) return html`${t(all)}`;
  return html`${codeText ? html`${t(codeText)}: ` : ''}<span lang="en">${detail}</span>`;
}

import type { FieldError } from '#shared/platform/http/problems.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { urlRefusals } from '#shared/application/webhooks/attempt-errors.ts';
import type { View } from './components.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/** The meaning of the API's codes in the reader's language; the API's own text has the details. */
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

/** Translations of the API's texts, by their beginnings. */
const ofTexts: Readonly<Record<string, Words>> = {
  'must be a decimal with two places': {
    ru: 'недопустимая сумма: напишите её, например, так: 600 или 600,50',
    en: 'invalid amount: write it such as 600 or 600.50',
  },
  'must not be empty': { ru: 'заполните это поле', en: 'this field is required' },
  'must be one line': {
    ru: 'нужна одна строка без управляющих знаков',
    en: 'must be one line, without control characters',
  },
  'must not hold U+0000': { ru: 'есть недопустимые знаки', en: 'it has invalid characters' },
  'must be in CIDR notation': {
    ru: 'нужны адреса или подсети, например 203.0.113.7 или 203.0.113.0/24',
    en: 'must be addresses or ranges, such as 203.0.113.7 or 203.0.113.0/24',
  },
  'must be a time such as': { ru: 'это не время', en: 'it is not a time' },
  'must be in the future': { ru: 'это время уже прошло', en: 'this time has passed' },
  'must have at least one': {
    ru: 'выберите хотя бы одно значение',
    en: 'choose at least one of them',
  },
  'must be one of': { ru: 'выберите одно из значений', en: 'choose one of the values' },
  ...Object.fromEntries(Object.values(urlRefusals).map((words) => [words.en, words])),
};

function boundIn(detail: string): Words | undefined {
  const [, most, unit] = /^must have at most (\d+) (characters|entries)$/.exec(detail) ?? [];
  if (most === undefined) return undefined;
  const units = unit === 'characters' ? 'знаков' : 'значений';
  return { ru: `не больше ${most} ${units}`, en: `at most ${most} ${unit}` };
}

export function explainFault({ t }: Pick<View, 't'>, { code, detail }: FieldError): Html {
  const codeText = faults[code];
  const own = Object.entries(ofTexts).find(([text]) => detail.startsWith(text))?.[1];
  const all = code === 'field_required' ? codeText : (own ?? boundIn(detail));
  if (all) return html`${t(all)}`;
  return html`${codeText && html`${t(codeText)}: `}<span lang="en">${detail}</span>`;
}

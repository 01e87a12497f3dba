import type { FieldError } from '#shared/platform/http/problems.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/** The meaning of the API's codes in the reader's language; the API's own text says the rest. */
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
const ofTexts = {
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
  'must be one of': { ru: 'выберите одно из значений', en: 'choose one of the values' },
  'it contains characters that no URL may have': {
    ru: 'в адресе есть недопустимые знаки',
    en: 'it contains characters that no URL may have',
  },
  'it is not a URL': { ru: 'это не адрес (URL)', en: 'it is not a URL' },
  'it must start with https://': {
    ru: 'адрес должен начинаться с https://',
    en: 'it must start with https://',
  },
  'it must not contain a user name or password': {
    ru: 'в адресе не должно быть имени и пароля',
    en: 'it must not contain a user name or password',
  },
  'its address is not public': {
    ru: 'это адрес внутренней сети: нужен доступный из интернета',
    en: 'its address is not public',
  },
} as const satisfies Record<string, Words>;

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

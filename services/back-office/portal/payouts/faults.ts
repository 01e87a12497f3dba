import type { Problem } from '#shared/platform/http/problems.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { fileColumns } from '#shared/application/payout-batches/read-file.ts';
import type { View } from '../env.ts';

/** The fault of a cell of a file, by the API's code, for people who filled in a table. */
const cellFaults: Readonly<Record<string, Words>> = {
  field_required: { ru: 'Ячейка пустая, а поле обязательно.', en: 'The cell is empty.' },
  field_invalid: {
    ru: 'Такого значения быть не может: слишком длинное или с недопустимыми знаками.',
    en: 'The value is too long or has characters that are not allowed.',
  },
  amount_invalid: {
    ru: 'Сумма пишется с точкой и двумя знаками после неё: 1500.00',
    en: 'An amount has a point and two decimals: 1500.00',
  },
  method_unknown: { ru: 'Такого метода нет.', en: 'There is no such method.' },
  currency_unknown: { ru: 'Такой валюты нет.', en: 'There is no such currency.' },
  currency_method_mismatch: {
    ru: 'Метод не работает с этой валютой.',
    en: 'The method does not support this currency.',
  },
  number_required: {
    ru: 'Нет номера карты или телефона получателя.',
    en: 'The recipient’s card or phone number is missing.',
  },
  number_invalid: {
    ru: 'Номер карты — от 12 до 19 цифр, телефона — от 10 до 15 цифр. Таблицы портят длинные номера: задайте столбцу текстовый формат.',
    en: 'A card number has 12 to 19 digits, a phone number 10 to 15. Spreadsheets spoil long numbers: format the column as text.',
  },
  bankname_required: {
    ru: 'Для выплаты по номеру телефона нужен банк.',
    en: 'A payout by phone number needs the bank.',
  },
  bankname_unknown: {
    ru: 'У этого метода нет такого банка: нужен код, например sberbank.',
    en: 'The method has no such bank: give its code, such as sberbank.',
  },
};

const rowFault = {
  ru: 'Строка не читается: в ней другое число столбцов, чем в первой, или не закрыты кавычки.',
  en: 'The row can’t be read: it has another number of columns than the first one, or an open quote.',
} as const satisfies Words;
const idFault = {
  ru: 'Номер уже есть в другой строке файла, слишком длинный или с недопустимыми знаками.',
  en: 'Another row of the file has this ID, or it is too long or has characters that are not allowed.',
} as const satisfies Words;

export function explainCell(
  { t }: Pick<View, 't'>,
  { pointer, code }: { pointer: string; code: string },
): string {
  if (code === 'field_invalid' && pointer === '') return t(rowFault);
  if (code === 'field_invalid' && pointer === '/merchant_operation_id') return t(idFault);
  const fault = cellFaults[code];
  return fault ? t(fault) : code;
}

const fileFaults = {
  separator: {
    ru: 'Столбцы разделены не запятой. Сохраните таблицу как CSV UTF-8 с запятыми.',
    en: 'The columns are not separated by commas. Save the table as CSV UTF-8 with commas.',
  },
  unreadable: {
    ru: 'Это не файл CSV в UTF-8.',
    en: 'It is no CSV file in UTF-8.',
  },
  empty: { ru: 'В файле нет строк с выплатами.', en: 'The file has no rows with payouts.' },
  missing: { ru: 'Нет столбцов', en: 'Missing columns' },
  unknown: { ru: 'Лишние столбцы', en: 'Columns to remove' },
} as const satisfies Record<string, Words>;

/** Why a file as a whole is refused; undefined if the problem's own text is shown. */
export function explainFile(
  { t }: Pick<View, 't'>,
  { errors = [] }: Pick<Problem, 'errors'>,
): string | undefined {
  const named = (isMissing: boolean) =>
    errors
      .filter(({ pointer, code }) => pointer !== '' && (code === 'field_required') === isMissing)
      .map(({ pointer }) => pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing = named(true);
  const unknown = named(false);
  const [only] = unknown;
  if (
    unknown.length === 1 &&
    fileColumns.some((name) => only?.includes(`${name};`) || only?.includes(`${name}\t`))
  )
    return t(fileFaults.separator);
  const parts = [
    ...(missing.length > 0 ? [`${t(fileFaults.missing)}: ${missing.join(', ')}.`] : []),
    ...(unknown.length > 0 ? [`${t(fileFaults.unknown)}: ${unknown.join(', ')}.`] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  if (errors.length === 0) return undefined;
  return t(errors[0]?.detail === 'the file has no row' ? fileFaults.empty : fileFaults.unreadable);
}

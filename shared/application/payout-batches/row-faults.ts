import type { RowError } from '#shared/domain/payout-batch/events.ts';
import type { Words } from '../pages/translations.ts';

/** The fault of a cell of a file, by its code, for people who filled in a table. */
const cellFaults: Readonly<Record<string, Words>> = {
  field_required: {
    ru: 'Ячейка пустая, а поле обязательно.',
    en: 'The cell is empty, but the column is required.',
  },
  field_invalid: {
    ru: 'Значение слишком длинное, или в нём недопустимые знаки.',
    en: 'The value is too long or has characters that are not allowed.',
  },
  amount_invalid: {
    ru: 'Сумма больше нуля, с двумя знаками после точки или запятой: 1500.00',
    en: 'An amount is more than zero, with two decimals after a point or a comma: 1500.00',
  },
  operation_exists: {
    ru: 'Операция с этим номером уже есть, и данные в ней другие: вторая не создаётся. Проверьте её: возможно, она уже выплачена. Если это другая выплата, дайте ей новый номер.',
    en: 'An operation has this ID already, with other data, and no second one is made. Check it: it may be paid already. If this is another payout, give it a new ID.',
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
    ru: 'Для выплаты по номеру телефона нужен код банка.',
    en: 'A payout by phone number needs the code of the bank.',
  },
  bankname_unknown: {
    ru: 'У этого метода нет такого банка: нужен код, например sberbank.',
    en: 'The method has no such bank: give its code, such as sberbank.',
  },
  cell_formula: {
    ru: 'В ячейке формула. Вставьте вместо неё значение.',
    en: 'The cell has a formula. Paste its value in its place.',
  },
  cell_date: {
    ru: 'В ячейке дата. Задайте столбцу текстовый формат и введите значение заново.',
    en: 'The cell has a date. Format the column as text, and enter the value again.',
  },
  cell_number: {
    ru: 'Таблица показывает не то число, что хранит: оно сокращено (2,2E+15), или у ячейки свой формат. Задайте столбцу текстовый формат и введите значение заново.',
    en: 'The spreadsheet shows another number than it stores: it is shortened (2.2E+15), or the cell has a format of its own. Format the column as text, and enter the value again.',
  },
};

const emptyRow: Words = {
  ru: 'Строка пустая, а ниже есть заполненные. Удалите её.',
  en: 'The row is empty, and rows below it are not. Delete it.',
};
const rowFault: Words = {
  ru: 'Строка не читается: в ней другое число столбцов, чем в первой, или не закрыты кавычки.',
  en: 'The row can’t be read: it has another number of columns than the first one, or an open quote.',
};
const idFault: Words = {
  ru: 'Номер уже есть в другой строке файла, слишком длинный или с недопустимыми знаками.',
  en: 'Another row of the file has this ID, or it is too long or has characters that are not allowed.',
};

/** What is wrong with a row, for people. */
export function explainRowError({ pointer, code }: Pick<RowError, 'pointer' | 'code'>): Words {
  if (pointer === '') return code === 'field_required' ? emptyRow : rowFault;
  if (code === 'field_invalid' && pointer === '/merchant_operation_id') return idFault;
  return cellFaults[code] ?? { ru: code, en: code };
}

import type { FileFault } from '#shared/application/statements/files/item.ts';
import { mostLines } from '#shared/application/statements/files/accounts.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/**
 * The faults of a line of a file with their remedies: in the API's words, and in the console's in
 * both languages.
 */
export const fileFaults: Readonly<Record<FileFault, Words>> = {
  kind: {
    ru: 'напишите transfer, return, chargeback, fee, settlement или other',
    en: 'write transfer, return, chargeback, fee, settlement or other',
  },
  direction: {
    ru: 'напишите in, если деньги пришли на аккаунт у провайдера, и out, если ушли',
    en: 'write in where money came to the account with the provider, out where it left',
  },
  leg_id: {
    ru: 'укажите id перевода у провайдера, до 256 символов',
    en: 'give the provider’s id of the transfer, at most 256 characters',
  },
  of_leg_id: {
    ru: 'укажите id перевода, чьи деньги вернулись, до 256 символов, или оставьте поле пустым',
    en: 'give the id of the transfer whose money it was, at most 256 characters, or leave it empty',
  },
  operation_id: {
    ru: 'укажите operation_id, до 64 символов, или оставьте поле пустым',
    en: 'give the operation_id, at most 64 characters, or leave it empty',
  },
  attempt: {
    ru: 'укажите номер попытки от 1 вместе с operation_id или оставьте поле пустым',
    en: 'give the number of the attempt from 1, with its operation_id, or leave it empty',
  },
  amount: {
    ru: 'укажите сумму без знака, с двумя знаками: 1234.50; с запятой — во всём файле',
    en: 'give the amount without sign, with two places: 1234.50; with a comma in the whole file',
  },
  completed_at: {
    ru: 'укажите время по UTC, например 2026-01-31T10:00:00Z: перевод или возврат — этого дня или соседнего',
    en: 'give the time in UTC, such as 2026-01-31T10:00:00Z: a transfer or return must be of this day, the one before or the one after',
  },
  currency: {
    ru: 'валюта не та, что у выписки: проверьте, тот ли это файл',
    en: 'not the currency of the statement: check that it is the right file',
  },
  header: {
    ru: 'это не CAMT.053, CAMT.054, MT940 или 1С, а для CSV назовите в первой строке столбцы, каждый один раз: kind,direction,leg_id,amount,currency,completed_at',
    en: 'it is no CAMT.053, CAMT.054, MT940 or 1C; for CSV name the columns in the first line, each once: kind,direction,leg_id,amount,currency,completed_at',
  },
  field_count: {
    ru: 'полей больше или меньше, чем столбцов: проверьте запятые; текст с запятой берут в кавычки',
    en: 'more or fewer fields than there are columns: check the commas; put a text that has a comma in quotes',
  },
  too_many_lines: {
    ru: `строк больше, чем может быть (${mostLines}): запросите выписку у провайдера`,
    en: `more lines than a file may have (${mostLines}): request the statement from the provider instead`,
  },
  csv_quotes: {
    ru: 'кавычки не закрыты или стоят посреди поля; дальше файл не прочитан',
    en: 'quotes are not closed, or are within a field; what follows was not read',
  },
  csv_too_long: {
    ru: 'строка длиннее 8192 символов; проверьте кавычки; дальше файл не прочитан',
    en: 'longer than 8192 characters: check the quotes; the file was read no further',
  },
  line_too_long: {
    ru: 'строка длиннее 8192 символов: проверьте, тот ли это файл; дальше он не прочитан',
    en: 'longer than 8192 characters: check that it is the right file; it was read no further',
  },
  text_too_long: {
    ru: 'текст или запись с частями длиннее, чем читается: проверьте, тот ли это файл; дальше он не прочитан',
    en: 'a text, or an entry with its parts, is longer than is read: check that it is the right file; it was read no further',
  },
  encoding: {
    ru: 'файл не в этой кодировке: выберите другую или определение по файлу',
    en: 'the file is not in this encoding: choose another one, or have it detected',
  },
  format: {
    ru: 'это не файл этого формата: выберите другой или определение по файлу',
    en: 'not a file of this format: choose another one, or have it detected',
  },
  syntax: {
    ru: 'такой строки в этом формате здесь не бывает: запросите у банка файл ещё раз',
    en: 'the format has no such line here: get the file from the bank again',
  },
  cut_off: {
    ru: 'файл обрывается до конца выписки: скачайте его ещё раз',
    en: 'the file ends before its statement does: download it again',
  },
  not_closed: {
    ru: 'здесь начинается другая выписка, а у предыдущей нет остатка на конец: запросите у банка полный файл',
    en: 'another statement begins here, and the one before it has no closing balance: get the whole file from the bank',
  },
  several_accounts: {
    ru: 'в файле несколько счетов в этой валюте: укажите номер нужного',
    en: 'the file has several accounts in this currency: give the number of the one that you mean',
  },
  account: {
    ru: 'в файле нет счёта с этим номером',
    en: 'the file has no account with this number',
  },
  balance: {
    ru: 'остаток на конец не равен остатку на начало с движениями: запросите у банка полный файл',
    en: 'the closing balance is not the opening balance with the movements: get the whole file from the bank',
  },
  batch_total: {
    ru: 'суммы частей с комиссией не складываются в сумму записи: запросите у банка файл ещё раз',
    en: 'the amounts of the parts and the charges are not the amount of the entry: get the file from the bank again',
  },
  xml: {
    ru: 'это не правильный XML; дальше файл не прочитан',
    en: 'not well-formed XML; the file was read no further',
  },
  xml_doctype: {
    ru: 'объявление DOCTYPE не принимается: в выписках банков его нет',
    en: 'a DOCTYPE is not accepted: banks’ statements have none',
  },
};

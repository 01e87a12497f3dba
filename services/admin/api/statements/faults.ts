import type { FileFault } from '#shared/application/statements/read-file.ts';
import { mostLines } from '#shared/application/statements/read-file.ts';
import type { Words } from '#shared/application/pages/words.ts';

/**
 * What is wrong with a line of a file, and what to do about it: the API's word, and the console's
 * in both languages.
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
    ru: 'укажите сумму без знака и пробелов, с точкой и двумя знаками: 1234.50',
    en: 'give the amount without sign or spaces, with a dot and two places: 1234.50',
  },
  completed_at: {
    ru: 'укажите время по UTC, например 2026-01-31T10:00:00Z: перевод или возврат — этого дня или соседнего',
    en: 'give the time in UTC, such as 2026-01-31T10:00:00Z: a transfer or return is of this day or one beside it',
  },
  currency: {
    ru: 'валюта не та, что у выписки: проверьте, тот ли это файл',
    en: 'not the currency of the statement: check that it is the right file',
  },
  header: {
    ru: 'назовите в первой строке столбцы через запятую, каждый один раз: kind,direction,leg_id,amount,currency,completed_at',
    en: 'name the columns in the first line, with commas, each once: kind,direction,leg_id,amount,currency,completed_at',
  },
  field_count: {
    ru: 'полей больше или меньше, чем столбцов: проверьте запятые; текст с запятой берут в кавычки',
    en: 'more or fewer fields than there are columns: check the commas; a text with a comma stands in quotes',
  },
  too_many_lines: {
    ru: `строк больше, чем может быть (${mostLines}): запросите выписку у провайдера`,
    en: `more lines than a file may have (${mostLines}): ask the provider for the statement instead`,
  },
  csv_quotes: {
    ru: 'кавычки не закрыты или стоят посреди поля; дальше файл не прочитан',
    en: 'quotes are not closed, or stand within a field; the file was read no further',
  },
  csv_too_long: {
    ru: 'строка длиннее 8192 символов; проверьте кавычки; дальше файл не прочитан',
    en: 'longer than 8192 characters: check the quotes; the file was read no further',
  },
  csv_not_utf8: {
    ru: 'это не UTF-8: сохраните файл как «CSV UTF-8»',
    en: 'not UTF-8: save the file as “CSV UTF-8”',
  },
};

/** Whether it is said of a field of the line, and not of the line or the file as a whole. */
const ofWhole: ReadonlySet<FileFault> = new Set([
  'header',
  'field_count',
  'too_many_lines',
  'csv_quotes',
  'csv_too_long',
  'csv_not_utf8',
]);

/** The column that is wrong; undefined where it is the line as a whole. */
export const fieldOf = (fault: FileFault): string | undefined =>
  ofWhole.has(fault) ? undefined : fault;

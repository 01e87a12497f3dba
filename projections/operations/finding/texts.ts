import { common, type Words } from '#shared/application/pages/translations.ts';
import type { FoundBy } from './find.ts';
import { comparedAtMost } from './last-four.ts';

/** The texts of the search pages. */
export const findingTexts = {
  foundBy: { ru: 'Найдено по', en: 'Found by' },
  notFound: {
    ru: 'Ничего не найдено. Номер операции и номер в магазине ищутся по началу, остальное — целиком, с теми же заглавными и строчными буквами. Карта или телефон — по последним четырём цифрам: *4242.',
    en: 'Nothing found. Operation IDs and merchant operation IDs can be found by their first characters, everything else only in full; upper and lower case differ. A card or a phone is found by its last four digits: *4242.',
  },
  more: {
    ru: 'Показаны не все: добавьте сумму, клиента, день или время.',
    en: 'Not all are shown: narrow the search with an amount, a client, a day or a time.',
  },
  compared: {
    ru: `Номера хранятся зашифрованными: последние цифры сравниваются у ${comparedAtMost} самых новых операций, которые подходят под остальное.`,
    en: `Numbers are stored encrypted: last digits are compared for the newest ${comparedAtMost} operations that match the rest.`,
  },
  tooLong: {
    ru: 'Поиск занял слишком много времени. Ограничьте даты или повторите.',
    en: 'The search took too long. Narrow the dates, or try again.',
  },
} as const satisfies Record<string, Words>;

const foundNames: Readonly<Record<FoundBy, Words>> = {
  operation_id: common.operationId,
  merchant_operation_id: common.merchantOperationId,
  client_id: { ru: 'клиент', en: 'client' },
  provider_reference: { ru: 'ссылка провайдера', en: 'provider reference' },
  leg_id: { ru: 'перевод', en: 'transfer' },
  receipt_id: { ru: 'чек', en: 'receipt' },
  message_id: { ru: 'вебхук', en: 'webhook' },
  entry_id: { ru: 'невыясненная сумма', en: 'suspense' },
  amount: { ru: 'сумма', en: 'amount' },
  time: { ru: 'время', en: 'time' },
  last_four: { ru: 'последние цифры', en: 'last digits' },
};

/** The column of a list that a search found. */
export const foundByColumn = <Listed extends { by?: FoundBy }>(
  { t }: { t(words: Words): string },
  rows: readonly Listed[],
) =>
  rows.some(({ by }) => by !== undefined)
    ? [{ name: findingTexts.foundBy, cell: ({ by }: Listed) => t(foundNames[by ?? 'time']) }]
    : [];

import { common, type Words } from '#shared/application/pages/translations.ts';
import { exportedAtMost, type FindResult, type HitField } from './find.ts';
import { mostCompared } from './compare.ts';

/** The texts of the search pages. */
export const findingTexts = {
  foundBy: { ru: 'Найдено по', en: 'Found by' },
  notFound: {
    ru: 'Ничего не найдено. Номер операции и номер в магазине ищутся по началу, карта или телефон — по последним четырём цифрам (4242), метаданные — по части значения, остальное — целиком. Проверьте день и сумму.',
    en: 'Nothing found. Operation IDs and merchant operation IDs are found by their first characters, a card or phone by its last four digits (4242), metadata by a part of its value, everything else only in full. Check the day and the amount.',
  },
  more: {
    ru: 'Показаны не все: добавьте сумму, клиента, день или время.',
    en: 'Not all are shown: narrow the search with an amount, a client, a day or a time.',
  },
  compared: {
    ru: `Номера и метаданные хранятся зашифрованными: они сравниваются только у ${mostCompared} самых новых операций, которые подходят под остальное. Добавьте день, сумму или клиента.`,
    en: `Numbers and metadata are stored encrypted: they are compared only for the newest ${mostCompared} operations that match otherwise. Add a day, an amount or a client.`,
  },
  exportedAtMost: {
    ru: `Здесь первые ${exportedAtMost} найденных операций, а их больше: сузьте поиск.`,
    en: `These are the first ${exportedAtMost} operations that were found, and there are more: narrow the search.`,
  },
  names: {
    ru: 'Имена получателей и файлов хранятся зашифрованными: по ним поиск ничего не находит.',
    en: 'Names of recipients and files are stored encrypted: the search does not find them.',
  },
  tooLong: {
    ru: 'Поиск занял слишком много времени. Ограничьте даты или повторите.',
    en: 'The search took too long. Narrow the dates, or try again.',
  },
} as const satisfies Record<string, Words>;

const foundNames: Readonly<Record<HitField, Words>> = {
  operation_id: common.operationId,
  merchant_operation_id: common.merchantOperationId,
  client_id: { ru: 'клиент', en: 'client' },
  provider_reference: { ru: 'ссылка провайдера', en: 'provider reference' },
  leg_id: { ru: 'перевод', en: 'transfer' },
  receipt_id: { ru: 'чек', en: 'receipt' },
  message_id: { ru: 'вебхук', en: 'webhook' },
  entry_id: { ru: 'невыясненная сумма', en: 'suspense' },
  amount: { ru: 'сумма', en: 'amount' },
  late_money: { ru: 'сумма после завершения', en: 'amount after the end' },
  time: { ru: 'день или время', en: 'day or time' },
  metadata: { ru: 'метаданные', en: 'metadata' },
  last_four: { ru: 'последние цифры', en: 'last digits' },
};

/** Why the file of a search lacks operations that match, in the words of the page. */
export const whyCut = (
  { t }: { t(words: Words): string },
  { more, isPartlyCompared }: Pick<FindResult, 'more' | 'isPartlyCompared'>,
): string | undefined => {
  const reasons = [
    ...(more ? [t(findingTexts.exportedAtMost)] : []),
    ...(isPartlyCompared ? [t(findingTexts.compared)] : []),
  ];
  return reasons.length > 0 ? reasons.join(' ') : undefined;
};

/** The column of a list that a search found. */
export const foundByColumn = <Listed extends { by?: HitField }>(
  { t }: { t(words: Words): string },
  rows: readonly Listed[],
) =>
  rows.some(({ by }) => by !== undefined)
    ? [{ name: findingTexts.foundBy, cell: ({ by }: Listed) => t(foundNames[by ?? 'time']) }]
    : [];

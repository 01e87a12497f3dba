import type { FindingDecision } from '#shared/domain/statements/events.ts';
import type { FindingKind } from '#shared/domain/statements/findings.ts';
import type { Words } from '../words.ts';

export const texts = {
  title: { ru: 'Выписки провайдеров', en: 'Statements' },
  about: {
    ru: 'Что провайдер сообщает о движении денег за день, рядом с тем, что учли операции. Дни — по UTC.',
    en: 'What a provider says moved in a day, beside what the operations count. Days are in UTC.',
  },
  day: { ru: 'День', en: 'Day' },
  state: { ru: 'Состояние', en: 'State' },
  lines: { ru: 'Строк', en: 'Lines' },
  confirmed: { ru: 'Совпало', en: 'Confirmed' },
  stated: { ru: 'По выписке', en: 'Statement' },
  counted: { ru: 'По операциям', en: 'Operations' },
  came: { ru: 'Пришло', en: 'In' },
  went: { ru: 'Ушло', en: 'Out' },
  opening: { ru: 'Остаток на начало дня', en: 'Opening balance' },
  closing: { ru: 'Остаток на конец дня', en: 'Closing balance' },
  imported: { ru: 'Загружена', en: 'Imported' },
  nothing: { ru: 'Всё совпало', en: 'All matches' },
  open: { ru: 'Расхождений: ', en: 'To look at: ' },
  empty: { ru: 'Выписок ещё нет.', en: 'No statement has been imported yet.' },
  none: {
    ru: 'Расхождений нет: каждая строка выписки совпадает с операцией.',
    en: 'Nothing differs: every line of the statement is what an operation counts.',
  },
  what: { ru: 'Что не совпало', en: 'What does not match' },
  transfer: { ru: 'Перевод', en: 'Transfer' },
  close: { ru: 'Закрыть', en: 'Close' },
  note: { ru: 'Пояснение', en: 'Note' },
} as const satisfies Record<string, Words>;

export const decisionNames = {
  explained: { ru: 'Объяснено', en: 'Explained' },
  provider_error: { ru: 'Ошибка провайдера', en: 'The provider’s mistake' },
  own_error: { ru: 'Наша ошибка', en: 'Our mistake' },
} as const satisfies Record<FindingDecision, Words>;

/** Each kind of finding: its name, and what to do about it. */
export const kinds: Readonly<Record<FindingKind, { name: Words; todo: Words }>> = {
  not_counted: {
    name: { ru: 'Провайдер не сообщал об этих деньгах', en: 'The provider never reported this money' },
    todo: {
      ru: 'Откройте операцию и попросите провайдера прислать уведомление. Когда он сообщит, деньги будут учтены автоматически или попадут в невыясненные суммы.',
      en: 'Open the operation and ask the provider to report it. Once it does, the money is counted, or comes to unmatched money.',
    },
  },
  unknown_line: {
    name: { ru: 'Неизвестно, чьи это деньги', en: 'Nobody knows whose money this is' },
    todo: {
      ru: 'Узнайте у провайдера, за что этот перевод.',
      en: 'Find out from the provider what this transfer was for.',
    },
  },
  not_in_statement: {
    name: { ru: 'Учтено, но в выписке нет', en: 'Counted, and not in the statement' },
    todo: {
      ru: 'Спросите провайдера, прошёл ли перевод на самом деле. Если нет — исправьте баланс магазина.',
      en: 'Ask the provider whether the transfer really happened. If not, correct the shop’s balance.',
    },
  },
  amount_differs: {
    name: { ru: 'Другая сумма', en: 'Another amount' },
    todo: {
      ru: 'Выясните с провайдером, какая сумма верна. Если ошиблись мы, исправьте баланс магазина.',
      en: 'Settle with the provider which amount is right. If ours is wrong, correct the shop’s balance.',
    },
  },
  operation_differs: {
    name: { ru: 'Другая операция или направление', en: 'Another operation or direction' },
    todo: {
      ru: 'Сравните строку с операцией, которая учла эти деньги, и сообщите провайдеру.',
      en: 'Compare the line with the operation that counts the money, and tell the provider.',
    },
  },
  duplicate_line: {
    name: { ru: 'Те же деньги второй раз', en: 'The same money twice' },
    todo: {
      ru: 'Обычно это ошибка провайдера. Сообщите ему и закройте строку.',
      en: 'Usually the provider’s mistake. Tell it, and close the line.',
    },
  },
  return_not_reported: {
    name: { ru: 'Возврат, о котором не сообщили', en: 'A return that was not reported' },
    todo: {
      ru: 'Деньги вернулись (по выплате — нам, по платежу — плательщику), а провайдер об этом не сообщил. Попросите его прислать уведомление.',
      en: 'Money went back, and no report said so. Ask the provider for one.',
    },
  },
  fee: {
    name: { ru: 'Комиссия провайдера', en: 'The provider’s fee' },
    todo: { ru: 'Сверьте с договором и закройте.', en: 'Check it against the contract, and close it.' },
  },
  settlement: {
    name: { ru: 'Расчёт с вашим банком', en: 'Settlement with your bank' },
    todo: {
      ru: 'Сверьте с выпиской банка и закройте.',
      en: 'Check it against your bank’s statement, and close it.',
    },
  },
  other: {
    name: { ru: 'Прочее', en: 'Something else' },
    todo: {
      ru: 'Узнайте у провайдера, что это, и закройте.',
      en: 'Find out from the provider what it is, and close it.',
    },
  },
  balance_differs: {
    name: { ru: 'Остаток не сходится', en: 'The balance does not add up' },
    todo: {
      ru: 'Не хватает строк или выписки за соседний день. Запросите выписку у провайдера ещё раз.',
      en: 'Lines are missing, or the statement of the day before. Get the statement from the provider again.',
    },
  },
  ledger_differs: {
    name: { ru: 'В книгах другая сумма', en: 'The books have another amount' },
    todo: {
      ru: 'Книги и операция расходятся: первая сумма — по книгам. Такого не должно быть. Запустите аудит и передайте разработчикам.',
      en: 'The books and the operation disagree: the first amount is that of the books. That must not happen. Run the audit, and tell the developers.',
    },
  },
};

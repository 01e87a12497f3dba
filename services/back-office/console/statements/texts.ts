import type { FindingDecision, LineKind } from '#shared/domain/statements/events.ts';
import type { FindingKind } from '#shared/domain/statements/findings.ts';
import type { Words } from '#shared/application/pages/translations.ts';

export const providerStatementTexts = {
  title: { ru: 'Выписки провайдеров', en: 'Statements' },
  about: {
    ru: 'Что провайдер сообщает о движении денег за день, рядом с тем, что учли операции. Дни — по UTC.',
    en: 'The money that moved in a day: by the provider’s statement, and by our operations. Days are in UTC.',
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
  nothing: { ru: 'Всё совпало', en: 'Everything matches' },
  open: { ru: 'Расхождений: ', en: 'Findings: ' },
  empty: { ru: 'Выписок ещё нет.', en: 'No statement has been imported yet.' },
  none: {
    ru: 'Расхождений нет: каждая строка выписки совпадает с операцией.',
    en: 'There are no differences: every line of the statement matches an operation.',
  },
  what: { ru: 'Что не совпало', en: 'Differences' },
  transfer: { ru: 'Перевод', en: 'Transfer' },
  close: { ru: 'Закрыть', en: 'Close' },
  note: { ru: 'Пояснение', en: 'Note' },
  notedBefore: { ru: 'Отмечено раньше', en: 'Noted before' },
  account: { ru: 'Аккаунт у провайдера', en: 'Account with the provider' },
  environment: { ru: 'из настроек сервиса', en: 'from the environment' },
  notSetUp: { ru: 'сейчас не настроен', en: 'not set up now' },
  dayHint: { ru: 'По UTC; день должен закончиться.', en: 'In UTC; the day must be over.' },
  import: { ru: 'Загрузить файл', en: 'Import a file' },
  request: { ru: 'Запросить у провайдера', en: 'Request from the provider' },
  requestAgain: { ru: 'Запросить ещё раз', en: 'Request again' },
  current: { ru: 'Сейчас', en: 'Now' },
  nothingStands: { ru: 'За этот день выписки нет.', en: 'There is no statement for this day.' },
  becomes: { ru: 'Что будет', en: 'What will happen' },
  sameAgain: {
    ru: 'Выписка та же, что уже загружена: ничего не изменилось.',
    en: 'This statement was already imported: nothing changed.',
  },
  replacesProvider: {
    ru: 'Файл заменит выписку самого провайдера',
    en: 'The file replaces the provider’s own statement',
  },
  replacesFile: {
    ru: 'Если у провайдера другое, его выписка заменит файл',
    en: 'If the provider’s statement differs, it will replace the file',
  },
  replacedProvider: {
    ru: 'Файл заменил выписку самого провайдера. Запросите её ещё раз, если это было ошибкой.',
    en: 'A file replaced the provider’s own statement. Request it from the provider again if that was a mistake.',
  },
  source: { ru: 'Откуда', en: 'Source' },
  imports: { ru: 'Загрузки этого дня', en: 'Imports of this day' },
  number: { ru: 'Загрузка', en: 'Import' },
  counts: { ru: 'действует', en: 'in use' },
  replaced: { ru: 'заменена', en: 'replaced' },
  earlier: { ru: 'Более ранние здесь не показаны.', en: 'Earlier ones are not shown here.' },
  comparing: {
    ru: 'Выписка загружена и ещё сверяется с операциями. Страница обновляется сама.',
    en: 'The statement is imported, and is still being compared with the operations. This page refreshes by itself.',
  },
  missing: { ru: 'Дни без выписки', en: 'Days without a statement' },
  missingAbout: {
    ru: 'За последние 60 дней. Сам шлюз запрашивает не дальше 7 дней назад: остальные запросите или загрузите вы.',
    en: 'In the last 60 days. The gateway requests the last 7 days automatically; request or import older ones yourself.',
  },
  askAll: { ru: 'Запросить все', en: 'Request all' },
  missingDays: { ru: 'дней', en: 'days' },
  left: { ru: 'больше не запрашиваются', en: 'no longer requested automatically' },
  andMore: { ru: 'и раньше:', en: 'and earlier ones:' },
  moreAccounts: {
    ru: 'Показаны не все аккаунты: остальные есть в API, GET /admin/v1/missing-statements.',
    en: 'Not all accounts are shown: the admin API has the others, GET /admin/v1/missing-statements.',
  },
  noStatement: { ru: 'Выписки нет', en: 'No statement' },
  noStatementAbout: {
    ru: 'Запросите её у провайдера или загрузите файл. До тех пор деньги этого дня не сверены.',
    en: 'Request it from the provider, or import a file. Until then this day’s money is not checked.',
  },
} as const satisfies Record<string, Words>;

export const findingDecisionNames = {
  explained: { ru: 'Объяснено', en: 'Explained' },
  provider_error: { ru: 'Ошибка провайдера', en: 'The provider’s mistake' },
  own_error: { ru: 'Наша ошибка', en: 'Our mistake' },
} as const satisfies Record<FindingDecision, Words>;

/** Each kind of finding: its name, and what to do about it. */
export const findingKindTexts: Readonly<Record<FindingKind, { name: Words; todo: Words }>> = {
  not_counted: {
    name: {
      ru: 'Провайдер не сообщал об этих деньгах',
      en: 'The provider never reported this money',
    },
    todo: {
      ru: 'Откройте операцию и попросите провайдера прислать уведомление. Когда он сообщит, деньги будут учтены автоматически или попадут в невыясненные суммы.',
      en: 'Open the operation and ask the provider to report it. Once it does, the money is counted automatically, or appears under “Suspense”.',
    },
  },
  unknown_line: {
    name: { ru: 'Неизвестно, чьи это деньги', en: 'Not attributed to an operation' },
    todo: {
      ru: 'Узнайте у провайдера, за что этот перевод.',
      en: 'Ask the provider what this transfer was for.',
    },
  },
  not_in_statement: {
    name: { ru: 'Учтено, но в выписке нет', en: 'Counted, but not in the statement' },
    todo: {
      ru: 'Спросите провайдера, прошёл ли перевод на самом деле. Если нет — исправьте баланс магазина.',
      en: 'Ask the provider whether the transfer really happened. If not, correct the shop’s balance.',
    },
  },
  amount_differs: {
    name: { ru: 'Другая сумма', en: 'Another amount' },
    todo: {
      ru: 'Выясните с провайдером, какая сумма верна. Если ошиблись мы, исправьте баланс магазина.',
      en: 'Clarify with the provider which amount is right. If ours is wrong, correct the shop’s balance.',
    },
  },
  operation_differs: {
    name: { ru: 'Другая операция или направление', en: 'Another operation or direction' },
    todo: {
      ru: 'Сравните строку с операцией, которая учла эти деньги, и сообщите провайдеру.',
      en: 'Compare the line with the operation that counted the money, and report it to the provider.',
    },
  },
  duplicate_line: {
    name: { ru: 'Те же деньги второй раз', en: 'The same money twice' },
    todo: {
      ru: 'Обычно это ошибка провайдера. Сообщите ему и закройте строку.',
      en: 'Usually this is the provider’s mistake. Report it to the provider, and close the finding.',
    },
  },
  return_not_reported: {
    name: { ru: 'Возврат, о котором не сообщили', en: 'A return that was not reported' },
    todo: {
      ru: 'Деньги вернулись (по выплате — нам, по платежу — плательщику), а провайдер об этом не сообщил. Попросите его прислать уведомление.',
      en: 'Money was returned, but the provider has not reported it. Ask the provider to report it.',
    },
  },
  fee: {
    name: { ru: 'Комиссия провайдера', en: 'The provider’s fee' },
    todo: {
      ru: 'Сверьте с договором и закройте.',
      en: 'Check it against the contract, and close it.',
    },
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
      en: 'Ask the provider what it is, and close it.',
    },
  },
  balance_differs: {
    name: { ru: 'Остаток не сходится', en: 'The balance does not add up' },
    todo: {
      ru: 'Не хватает строк или выписки за соседний день. Запросите выписку у провайдера ещё раз.',
      en: 'Lines are missing, or the statement of the day before is. Ask the provider for the statement again.',
    },
  },
  ledger_differs: {
    name: { ru: 'В книгах другая сумма', en: 'The ledger has another amount' },
    todo: {
      ru: 'Книги и операция расходятся: первая сумма — по книгам. Такого не должно быть. Запустите аудит и передайте разработчикам.',
      en: 'The ledger and the operation disagree: the first amount is from the ledger. This should never happen. Run the audit, and report it to the developers.',
    },
  },
};

export const sourceNames = {
  provider: { ru: 'От провайдера', en: 'The provider’s' },
  file: { ru: 'Файл', en: 'A file' },
} as const satisfies Record<string, Words>;

export const lineKindNames = {
  transfer: { ru: 'переводы', en: 'transfers' },
  return: { ru: 'возвраты', en: 'returns' },
  chargeback: { ru: 'отзывы платежей', en: 'chargebacks' },
  fee: { ru: 'комиссии', en: 'fees' },
  settlement: { ru: 'расчёты', en: 'settlements' },
  other: { ru: 'прочее', en: 'other' },
} as const satisfies Record<LineKind, Words>;

export const fileTexts = {
  fileHint: {
    ru: 'CSV, CAMT.053, CAMT.054, MT940 или обмен с 1С; до 16 МиБ и 100 000 строк.',
    en: 'CSV, CAMT.053, CAMT.054, MT940 or 1C’s exchange; at most 16 MiB and 100,000 lines.',
  },
  balanceHint: {
    ru: 'Как его называет провайдер: 1234.50. Пусто — тот, что в файле.',
    en: 'As the provider states it, for example 1234.50. If empty, that of the file.',
  },
  balances: { ru: 'Остатки', en: 'Balances' },
  adds: { ru: 'сходятся со строками', en: 'match the lines' },
  follows: { ru: 'по строкам на конец дня выходит', en: 'closing balance by the lines' },
  has: { ru: 'Строк в файле', en: 'Lines of the file' },
  difference: { ru: 'Разница', en: 'Difference' },
  noBalances: { ru: 'в файле нет, сверить не с чем', en: 'the file has none to check against' },
  leftOut: { ru: 'Не войдёт', en: 'Left out' },
  account: { ru: 'Счёт в файле', en: 'Account in the file' },
  otherCurrency: { ru: 'валюта другая', en: 'another currency' },
  otherNumber: { ru: 'номер другой', en: 'another number' },
  noMoney: { ru: 'без движений', en: 'without movements' },
  notBooked: { ru: 'Ещё не проведены банком, строк', en: 'Not booked by the bank yet, lines' },
  accountNumber: { ru: 'Номер счёта в файле', en: 'Account number in the file' },
  accountNumberHint: {
    ru: 'Только если в файле несколько счетов в этой валюте.',
    en: 'Only if the file has several accounts in this currency.',
  },
  wrong: { ru: 'Строк с ошибками', en: 'Lines with errors' },
  mend: {
    ru: 'Ничего не загружено. Исправьте эти строки в файле и выберите его снова.',
    en: 'Nothing was imported. Correct these lines in the file, and choose it again.',
  },
  andMore: {
    ru: 'Показаны первые 50: остальные — когда исправите эти.',
    en: 'The first 50 are shown; you will see the others once these are corrected.',
  },
  line: { ru: 'Строка', en: 'Line' },
  field: { ru: 'Столбец', en: 'Column' },
  todo: { ru: 'Что сделать', en: 'What to do' },
  aboutTitle: { ru: 'Каким должен быть файл', en: 'What the file looks like' },
  columns: {
    ru: 'В CSV первая строка называет столбцы, в любом порядке:',
    en: 'In CSV the first line names the columns, in any order:',
  },
  optional: { ru: 'Если известны, ещё:', en: 'Also, if known:' },
  example: { ru: 'Пример файла', en: 'Example file' },
  bounds: {
    ru: 'Столбцы разделены запятой, точкой с запятой или табуляцией. Суммы — с двумя знаками, время — по UTC. Переводы и возвраты — этого дня или соседнего, остальное — любого.',
    en: 'Columns are separated by commas, semicolons or tabs. Amounts have two decimal places; times are in UTC. Transfers and returns must be from this day, the day before or the day after; other kinds may be from any day.',
  },
} as const satisfies Record<string, Words>;

export const dialectTexts = {
  detect: { ru: 'Определить по файлу', en: 'Detect it' },
  format: { ru: 'Формат', en: 'Format' },
  encoding: { ru: 'Кодировка', en: 'Encoding' },
  delimiter: { ru: 'Разделитель столбцов (CSV)', en: 'Column separator (CSV)' },
  decimal: { ru: 'Десятичный знак (CSV)', en: 'Decimal sign (CSV)' },
  separator: { ru: 'разделитель', en: 'separator' },
  sign: { ru: 'десятичный знак', en: 'decimal sign' },
  read: { ru: 'Прочитан как', en: 'Read as' },
  moved: { ru: 'Даты движений', en: 'Dates of movements' },
  first: { ru: 'Первые строки', en: 'First lines' },
  banks: {
    ru: 'Выписки банков загружайте как есть: CAMT.053 и CAMT.054 (ISO 20022), MT940, обмен «1С — клиент банка». Формат и кодировка определяются по файлу.',
    en: 'Import banks’ statements as they are: CAMT.053 and CAMT.054 (ISO 20022), MT940, 1C’s client-bank exchange. Format and encoding are detected.',
  },
} as const satisfies Record<string, Words>;

export const dialectNames = {
  csv: { ru: 'CSV', en: 'CSV' },
  'camt.053': { ru: 'CAMT.053', en: 'CAMT.053' },
  'camt.054': { ru: 'CAMT.054', en: 'CAMT.054' },
  mt940: { ru: 'MT940', en: 'MT940' },
  '1c': { ru: '1С, обмен с клиентом банка', en: '1C’s client-bank exchange' },
  'utf-8': { ru: 'UTF-8', en: 'UTF-8' },
  'utf-16le': { ru: 'UTF-16 LE', en: 'UTF-16 LE' },
  'utf-16be': { ru: 'UTF-16 BE', en: 'UTF-16 BE' },
  'windows-1251': { ru: 'Windows-1251', en: 'Windows-1251' },
  ibm866: { ru: 'DOS (866)', en: 'DOS (866)' },
  'windows-1252': { ru: 'Windows-1252, ISO 8859-1', en: 'Windows-1252, ISO 8859-1' },
  'iso-8859-2': { ru: 'ISO 8859-2', en: 'ISO 8859-2' },
  'iso-8859-15': { ru: 'ISO 8859-15', en: 'ISO 8859-15' },
  comma: { ru: 'запятая', en: 'comma' },
  semicolon: { ru: 'точка с запятой', en: 'semicolon' },
  tab: { ru: 'табуляция', en: 'tab' },
  dot: { ru: 'точка', en: 'dot' },
} as const satisfies Record<string, Words>;

export const bookTexts = {
  title: { ru: 'Сверка с книгами', en: 'Compared with the ledger' },
  about: {
    ru: 'Движение по выписке минус движение по книгам — это объяснённое, расхождения ниже и необъяснённое.',
    en: 'The movement by the statement minus the movement by the ledger is the sum of three: explained, in the findings below, and unexplained.',
  },
  statement: { ru: 'Движение по выписке', en: 'Movement by the statement' },
  ledger: { ru: 'Движение по книгам', en: 'Movement by the ledger' },
  explained: {
    ru: 'Объяснено (комиссии, расчёты, полночь, незавершённые операции)',
    en: 'Explained (fees, settlements, midnight, open operations)',
  },
  unmatched: { ru: 'В расхождениях ниже', en: 'In the findings below' },
  unexplained: { ru: 'Не объяснено', en: 'Unexplained' },
  agree: { ru: 'книги и операции сходятся', en: 'ledger and operations agree' },
  position: {
    ru: 'Провайдер должен нам на конец дня',
    en: 'Provider owes us at the end of the day',
  },
  difference: {
    ru: 'Остаток на конец дня минус долг провайдера',
    en: 'Closing balance minus what the provider owes',
  },
  tooMuch: {
    ru: 'слишком много записей: смотрите gateway.statement_days',
    en: 'too many entries to compute here: see gateway.statement_days',
  },
} as const satisfies Record<string, Words>;

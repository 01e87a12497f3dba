import type { Words } from '#shared/application/pages/translations.ts';

export const statementTexts = {
  title: { ru: 'Выписка', en: 'Statement' },
  about: {
    ru: 'Все движения по балансу за месяц. Файл с доказательствами можно проверить без шлюза.',
    en: 'Everything that moved the balance in a month. The file with proofs can be verified without the gateway.',
  },
  month: { ru: 'Месяц', en: 'Month' },
  none: {
    ru: 'Движений по балансу ещё не было: выписка появится после первой операции с деньгами.',
    en: 'Nothing has moved the balance yet: there is a statement after the first operation with money.',
  },
  noEntries: {
    ru: 'В этом месяце движений по балансу не было.',
    en: 'Nothing moved the balance in this month.',
  },
  what: { ru: 'Что произошло', en: 'What happened' },
  entries: { ru: 'Сколько раз', en: 'Times' },
  commission: { ru: 'Комиссия', en: 'Commission' },
  payouts: {
    ru: 'Выплата и её комиссия уходят с баланса, когда под неё делается резерв; исполнение баланс уже не меняет.',
    en: 'A payout and its commission leave the balance when it is reserved; its completion changes the balance no more.',
  },
  opening: { ru: 'Баланс на начало', en: 'Opening balance' },
  closing: { ru: 'Баланс на конец', en: 'Closing balance' },
  closingSoFar: { ru: 'Баланс на сейчас', en: 'Balance so far' },
  totals: { ru: 'Итоги', en: 'Totals' },
  files: { ru: 'Файлы', en: 'Files' },
  json: { ru: 'Скачать с доказательствами (JSON)', en: 'Download with proofs (JSON)' },
  csv: { ru: 'Скачать для таблиц (CSV)', en: 'Download for a spreadsheet (CSV)' },
  otherDays: { ru: 'За другие дни', en: 'For other days' },
  firstDay: { ru: 'Первый день', en: 'First day' },
  lastDay: { ru: 'Последний день', en: 'Last day' },
  verify: { ru: 'Как проверить выписку', en: 'How to verify the statement' },
  verifyAbout: {
    ru: 'В файле JSON каждое движение доказывает, что оно есть в книге магазина, подписанной шлюзом. Программа verify-statement показывает, что ничего не пропущено и не изменено; ей нужен Python 3 и не нужен шлюз.',
    en: 'In the JSON file each entry proves that it is in the shop’s ledger, which the gateway has signed. The program verify-statement shows that nothing was left out or changed; it needs Python 3, and not the gateway.',
  },
  verifyPrevious: {
    ru: 'Храните файлы: с ключом --previous и прошлой выпиской программа проверит и то, что история не переписана. Выписки должны идти подряд, без пропусков, и быть скачаны в одном часовом поясе.',
    en: 'Keep the files: with --previous and the statement before, the program also verifies that history was not rewritten. The two periods must adjoin, and both be downloaded in one time zone.',
  },
  commands: { ru: 'Команды', en: 'Commands' },
} as const satisfies Record<string, Words>;

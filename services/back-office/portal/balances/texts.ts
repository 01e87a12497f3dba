import type { Words } from '#shared/application/pages/translations.ts';

export const balanceTexts = {
  debt: { ru: 'Долг', en: 'Debt' },
  unavailable: {
    ru: 'Баланс уточняется. Обратитесь в поддержку шлюза.',
    en: 'This balance is being checked. Ask the gateway’s support.',
  },
  statement: { ru: 'Выписка с доказательствами', en: 'Statement with proofs' },
  statementHint: {
    ru: 'Файл JSON: программа verify-statement проверит его без шлюза. Файл CSV: те же проводки для таблиц, без доказательств.',
    en: 'The JSON file is verified by the program verify-statement without the gateway. The CSV file has the same entries for a spreadsheet, without proofs.',
  },
  download: { ru: 'Скачать JSON', en: 'Download JSON' },
  downloadCsv: { ru: 'Скачать CSV', en: 'Download CSV' },
  firstDay: { ru: 'Первый день', en: 'First day' },
  lastDay: { ru: 'Последний день', en: 'Last day' },
  empty: { ru: 'В этой валюте движений не было.', en: 'There are no entries in this currency.' },
} as const satisfies Record<string, Words>;

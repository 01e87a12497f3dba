import type { Words } from '#shared/application/pages/translations.ts';

/** What stands on an operation's page. */
export const oneTexts = {
  states: { ru: 'Статусы', en: 'Statuses' },
  since: { ru: 'С какого времени', en: 'Since' },
  entries: { ru: 'Движение денег', en: 'Balance entries' },
  neverMoved: { ru: 'Деньги не двигались.', en: 'No money has moved.' },
  noEntries: { ru: 'Деньги ещё не двигались.', en: 'No money has moved yet.' },
  uploaded: { ru: 'Загруженные чеки', en: 'Uploaded receipts' },
  underReview: { ru: 'на проверке', en: 'under review' },
  pdf: { ru: 'Это PDF', en: 'Is a PDF' },
  evidence: { ru: 'Чеки переводов', en: 'Transfer receipts' },
  completedAt: { ru: 'Исполнен', en: 'Completed' },
  open: { ru: 'Открыть', en: 'Open' },
  noMessages: {
    ru: 'Вебхуков нет: адрес не задан, или операция ещё не дошла до статуса, о котором сообщают.',
    en: 'No webhooks: no URL is set, or the operation has not reached a status that sends one.',
  },
  rate: { ru: 'Курс', en: 'Rate' },
  recorded: { ru: 'Учтено', en: 'Recorded' },
  settlement: { ru: 'К расчёту', en: 'Settlement' },
  number: { ru: 'Номер', en: 'Number' },
  recipient: { ru: 'Получатель', en: 'Recipient' },
  purpose: { ru: 'Назначение платежа', en: 'Purpose of the transfer' },
  expires: { ru: 'Оплатить до', en: 'Payable until' },
  check: { ru: 'Причина проверки', en: 'Reason for the check' },
  erased: { ru: 'персональные данные стёрты', en: 'personal data erased' },
} as const satisfies Record<string, Words>;

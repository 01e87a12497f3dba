import type { Words } from '#shared/application/pages/translations.ts';

/** The texts of an operation's page. */
export const operationTexts = {
  states: { ru: 'Статусы', en: 'Statuses' },
  since: { ru: 'С какого времени', en: 'Since' },
  entries: { ru: 'Движение денег', en: 'Balance entries' },
  neverMoved: { ru: 'Баланс не изменился.', en: 'The balance has not changed.' },
  noEntries: { ru: 'Баланс ещё не изменился.', en: 'The balance has not changed yet.' },
  evidence: { ru: 'Чеки переводов', en: 'Transfer receipts' },
  completedAt: { ru: 'Исполнен', en: 'Completed' },
  open: { ru: 'Открыть', en: 'Open' },
  noMessages: {
    ru: 'Вебхуков нет: адрес не задан, или операция ещё не дошла до статуса, о котором сообщают.',
    en: 'No webhooks: there is no endpoint, or the operation has not reached a status that sends one.',
  },
  erased: { ru: 'Персональные данные стёрты', en: 'Personal data erased' },
  ended: { ru: 'Завершено', en: 'Ended' },
  cancelReason: { ru: 'Причина отмены', en: 'Reason for the cancel' },
} as const satisfies Record<string, Words>;

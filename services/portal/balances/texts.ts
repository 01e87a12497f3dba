import type { Words } from '#shared/application/pages/words.ts';

export const balanceTexts = {
  title: { ru: 'Балансы', en: 'Balances' },
  balance: { ru: 'Баланс', en: 'Balance' },
  reserved: { ru: 'Отложено на выплаты', en: 'Reserved for payouts' },
  negative: { ru: 'Отрицательный баланс', en: 'Negative balance' },
  journal: { ru: 'Журнал', en: 'Journal' },
  unavailable: {
    ru: 'Баланс уточняется. Обратитесь в поддержку шлюза.',
    en: 'This balance is being checked. Ask the gateway’s support.',
  },
  empty: { ru: 'В этой валюте движений не было.', en: 'There are no entries in this currency.' },
} as const satisfies Record<string, Words>;

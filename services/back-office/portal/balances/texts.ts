import type { Words } from '#shared/application/pages/translations.ts';

export const balanceTexts = {
  about: {
    ru: 'Выберите валюту, чтобы увидеть, что меняло её баланс.',
    en: 'Choose a currency to see what moved its balance.',
  },
  debt: { ru: 'Долг', en: 'Debt' },
  unavailable: {
    ru: 'Баланс уточняется. Обратитесь в поддержку шлюза.',
    en: 'This balance is being checked. Ask the gateway’s support.',
  },
  empty: { ru: 'В этой валюте движений не было.', en: 'There are no entries in this currency.' },
} as const satisfies Record<string, Words>;

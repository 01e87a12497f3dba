import type { Language, Translated } from '#shared/platform/pages/index.ts';

/** One text in every language. */
export type Words = Translated<string>;

export type Translate = (words: Words) => string;

export const translator =
  (language: Language): Translate =>
  (words) =>
    words[language];

/** Words that many pages use. */
export const common = {
  unlimited: { ru: 'Без лимита', en: 'Unlimited' },
  overdraftLimit: { ru: 'Лимит овердрафта', en: 'Overdraft limit' },

  shop: { ru: 'Магазин', en: 'Shop' },
  merchant: { ru: 'Мерчант', en: 'Merchant' },
  name: { ru: 'Название', en: 'Name' },
  status: { ru: 'Статус', en: 'Status' },
  type: { ru: 'Тип', en: 'Type' },
  method: { ru: 'Метод', en: 'Method' },
  currency: { ru: 'Валюта', en: 'Currency' },
  amount: { ru: 'Сумма', en: 'Amount' },
  provider: { ru: 'Провайдер', en: 'Provider' },
  operation: { ru: 'Операция', en: 'Operation' },
  operationId: { ru: 'Номер операции', en: 'Operation ID' },
  merchantOperationId: { ru: 'Номер в магазине', en: 'Merchant operation ID' },
  metadata: { ru: 'Метаданные', en: 'Metadata' },
  created: { ru: 'Создано', en: 'Created' },
  when: { ru: 'Когда', en: 'When' },
  who: { ru: 'Кто', en: 'By' },
  note: { ru: 'Заметка', en: 'Note' },
  any: { ru: 'Любой', en: 'Any' },
  all: { ru: 'Все', en: 'All' },
  yes: { ru: 'да', en: 'yes' },
  no: { ru: 'нет', en: 'no' },
  none: { ru: '—', en: '—' },
  show: { ru: 'Показать', en: 'Show' },
  reset: { ru: 'Сбросить', en: 'Reset' },
  cancel: { ru: 'Отмена', en: 'Cancel' },
  next: { ru: 'Следующая страница', en: 'Next page' },
  first: { ru: 'В начало списка', en: 'First page' },
  times: { ru: 'Все времена — UTC.', en: 'All times are UTC.' },
  actions: { ru: 'Действия', en: 'Actions' },
  label: { ru: 'Метка', en: 'Label' },
  from: { ru: 'С', en: 'From' },
  to: { ru: 'До', en: 'To' },
} as const satisfies Record<string, Words>;

import type { Words } from '#shared/application/pages/translations.ts';

export const webhookTexts = {
  endpoints: { ru: 'Адреса', en: 'Endpoints' },
  add: { ru: 'Добавить адрес', en: 'Add endpoint' },
  edit: { ru: 'Изменить', en: 'Edit' },
  remove: { ru: 'Удалить', en: 'Delete' },
  types: { ru: 'Типы', en: 'Types' },
  allTypes: { ru: 'все', en: 'all' },
  lastDay: { ru: 'За сутки', en: 'Last 24 hours' },
  retrying: { ru: 'Повторяется', en: 'Retrying' },
  responseTime: { ru: 'Время ответа, p50 / p95', en: 'Response time, p50 / p95' },
  failing: { ru: 'все попытки неудачны с', en: 'all attempts have failed since' },
  trouble: { ru: 'Вебхуки не приходят.', en: 'Webhooks do not arrive.' },
  deliveries: { ru: 'Доставки', en: 'Deliveries' },
  previous: { ru: 'Прежний секрет действует до', en: 'Previous secret valid until' },
  none: {
    ru: 'Адресов нет: о результатах можно узнать, только опрашивая API.',
    en: 'There are no endpoints: the API has to be polled for outcomes.',
  },
  rotate: { ru: 'Сменить секрет', en: 'Rotate secret' },
  ping: { ru: 'Ping', en: 'Ping' },
  attempts: { ru: 'Попытки', en: 'Attempts' },
  next: { ru: 'Следующая попытка', en: 'Next attempt' },
  sequence: { ru: 'номер', en: 'sequence' },
  noAttempts: { ru: 'ещё не было', en: 'none yet' },
  pending: {
    ru: 'Ещё не доставлен. Страница обновляется сама.',
    en: 'Not delivered yet. This page refreshes by itself.',
  },
  body: { ru: 'Тело', en: 'Body' },
  asSent: {
    ru: 'Те самые байты, которые подписываются и отправляются.',
    en: 'The exact bytes that are signed and sent.',
  },
  answer: { ru: 'Ответ', en: 'Answer' },
  duration: { ru: 'Время, мс', en: 'Time, ms' },
  empty: {
    ru: 'Доставок нет. Они появляются с операциями; проверить адрес можно вебхуком ping.',
    en: 'There are no deliveries yet. Operations create them; a ping tests the endpoint.',
  },
} as const satisfies Record<string, Words>;

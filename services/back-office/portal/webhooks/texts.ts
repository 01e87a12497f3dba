import type { Words } from '#shared/application/pages/translations.ts';

export const webhookTexts = {
  endpoints: { ru: 'Адреса', en: 'Endpoints' },
  add: { ru: 'Добавить адрес', en: 'Add endpoint' },
  edit: { ru: 'Изменить', en: 'Edit' },
  remove: { ru: 'Удалить', en: 'Delete' },
  types: { ru: 'Типы', en: 'Types' },
  allTypes: { ru: 'Все', en: 'All' },
  lastDay: { ru: 'За сутки', en: 'Last 24 hours' },
  retrying: { ru: 'Не удалось, будет повтор', en: 'Failed, to be retried' },
  responseTime: {
    ru: 'Время ответа: медиана / у 95 % не дольше',
    en: 'Response time: median / 95% within',
  },
  failing: { ru: 'все попытки неудачны с', en: 'all attempts have failed since' },
  noneDelivered: {
    ru: 'за сутки ни одна попытка не удалась',
    en: 'no attempt has succeeded in 24 hours',
  },
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
  attemptsAndAnswer: { ru: 'Попытки · последний ответ', en: 'Attempts · last answer' },
  next: { ru: 'Следующая попытка', en: 'Next attempt' },
  sequence: { ru: 'номер', en: 'sequence' },
  sequenceOfOperation: { ru: 'Который по счёту у операции', en: 'Number within the operation' },
  waitsFor: { ru: 'Ждёт доставки', en: 'Waits for' },
  inOrder: {
    ru: 'Вебхуки одной операции идут по порядку: этот отправится, когда тот доставят или его попытки кончатся.',
    en: 'Webhooks of one operation arrive in order: this one is sent once that one is delivered or its attempts are over.',
  },
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
  duration: { ru: 'Заняла, мс', en: 'Took, ms' },
  empty: {
    ru: 'Доставок нет. Они появляются с операциями; проверить адрес можно вебхуком ping.',
    en: 'There are no deliveries yet. Operations create them; a ping tests the endpoint.',
  },
} as const satisfies Record<string, Words>;

import type { Words } from '#shared/application/pages/words.ts';

export const webhookTexts = {
  title: { ru: 'Вебхуки', en: 'Webhooks' },
  endpoint: { ru: 'Адрес', en: 'Endpoint' },
  deliveries: { ru: 'Доставки', en: 'Deliveries' },
  on: { ru: 'включён', en: 'on' },
  off: { ru: 'выключен', en: 'off' },
  previous: { ru: 'Прежний секрет действует до', en: 'Previous secret valid until' },
  none: {
    ru: 'Вебхука нет. Чтобы задать адрес, обратитесь к оператору шлюза.',
    en: 'There is no webhook. Ask an operator of the gateway to set a URL.',
  },
  rotate: { ru: 'Сменить секрет', en: 'Rotate secret' },
  ping: { ru: 'Ping', en: 'Ping' },
  againMany: { ru: 'Отправить недоставленные', en: 'Resend exhausted' },
  again: { ru: 'Отправить снова', en: 'Resend' },
  type: { ru: 'Вебхук', en: 'Webhook' },
  attempts: { ru: 'Попытки', en: 'Attempts' },
  next: { ru: 'Следующая попытка', en: 'Next attempt' },
  sequence: { ru: 'номер', en: 'sequence' },
  noAttempts: { ru: 'ещё не было', en: 'none yet' },
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

import type { Words } from '#shared/application/pages/translations.ts';

/** The texts of a shop's page. */
export const shopTexts = {
  books: { ru: 'Баланс и проводки', en: 'Balance and ledger' },
  settings: { ru: 'Настройки', en: 'Settings' },
  edit: { ru: 'Изменить', en: 'Edit' },
  shopId: { ru: 'Магазин (shop_id)', en: 'Shop (shop_id)' },
  merchantId: { ru: 'Мерчант (merchant_id)', en: 'Merchant (merchant_id)' },
  issue: { ru: 'Новый ключ', en: 'New key' },
  lastUsed: { ru: 'Последний запрос', en: 'Last used' },
  noKeys: {
    ru: 'Ключей ещё нет. Выпустите ключ: с ним мерчант обращается к API.',
    en: 'There are no keys yet. Issue one: the merchant needs it to call the API.',
  },
  routes: { ru: 'Маршруты', en: 'Routes' },
  today: { ru: 'сегодня (UTC) / лимит:', en: 'today (UTC) / limit:' },
  anyAmount: { ru: 'любая', en: 'any' },
  special: { ru: 'Параметры', en: 'Options' },
  receipt: { ru: 'нужен чек', en: 'receipt required' },
  tryOut: { ru: 'Какой маршрут?', en: 'Which route?' },
  noRoutes: {
    ru: 'Маршрутов нет: каждая операция будет отклонена. Задайте, какой провайдер работает с каким методом.',
    en: 'There are no routes: every operation will be declined. Choose which provider handles which method.',
  },
  setUp: { ru: 'Задать', en: 'Set up' },
  rotate: { ru: 'Сменить секрет', en: 'Rotate secret' },
  ping: { ru: 'Ping', en: 'Ping' },
  otherEndpoints: {
    ru: 'Ещё адреса: ими управляет мерчант, в кабинете и через API.',
    en: 'More endpoints: the merchant manages them, in the portal and by the API.',
  },
  types: { ru: 'Типы', en: 'Types' },
  failing: { ru: 'Все попытки неудачны с', en: 'All attempts have failed since' },
  previous: { ru: 'Прежний секрет действует до', en: 'Previous secret valid until' },
  noWebhook: {
    ru: 'Вебхука нет: о результатах мерчант узнаёт, только опрашивая API. Задайте адрес.',
    en: 'There is no webhook: the merchant has to poll for outcomes. Set a URL.',
  },
} as const satisfies Record<string, Words>;

import type { Words } from '#shared/application/pages/translations.ts';

export const providerTexts = {
  about: {
    ru: 'Выключенный провайдер не получает новых операций; начатые продолжаются.',
    en: 'A provider that is switched off gets no new operations; those that it already has continue.',
  },
  failing: { ru: 'сбоит: пропускается', en: 'failing: skipped' },
  answersAgain: { ru: 'снова отвечает с', en: 'answers again since' },
  unconfigured: { ru: 'не настроен', en: 'not configured' },
  window: { ru: 'За какое время', en: 'Period' },
  day: { ru: '24 часа', en: '24 hours' },
  week: { ru: '7 дней', en: '7 days' },
  month: { ru: '30 дней', en: '30 days' },
  noFigures: {
    ru: 'Модели чтения сейчас не отвечают: показателей нет. Выключатели работают.',
    en: 'The read models are not responding, so there are no figures. You can still switch providers on and off.',
  },
  counted: {
    ru: 'По операциям, созданным за это время, из моделей чтения; не больше новейших',
    en: 'Figures are for operations created in this period, from the read models; at most the newest',
  },
  attempts: { ru: 'Попыток', en: 'Attempts' },
  acceptance: { ru: 'Принято', en: 'Accepted' },
  refused: { ru: 'Отказов', en: 'Refused' },
  unknown: { ru: 'Ответ неизвестен', en: 'Unknown' },
  latency: { ru: 'Ответ, p50 / p95', en: 'Answer, p50 / p95' },
  paid: { ru: 'С деньгами', en: 'Paid' },
  timeToPaid: { ru: 'До денег, p50', en: 'Time to paid, p50' },
  lastReport: { ru: 'Последний отчёт', en: 'Last report' },
  byRoute: { ru: 'по маршрутам и методам', en: 'by route and method' },
  byBank: { ru: 'по банкам', en: 'by bank' },
  reasons: { ru: 'причины', en: 'reasons' },
  route: { ru: 'Маршрут, приоритет', en: 'Route, priority' },
  banksOf: {
    ru: 'Банк платежа называет провайдер, когда принимает: отказы по платежам стоят без банка.',
    en: 'The provider names a payment’s bank when it accepts the payment, so refused payments have no bank.',
  },
  noBank: { ru: 'банк не назван', en: 'no bank named' },
  howOften: { ru: 'Сколько раз', en: 'How often' },
  noReasons: { ru: 'Отказов и ошибок не было.', en: 'There were no refusals or errors.' },
  routing: { ru: 'Маршрутизация', en: 'Routing' },
} as const satisfies Record<string, Words>;

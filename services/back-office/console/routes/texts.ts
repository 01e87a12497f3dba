import type { Misfit, SkipReason } from '#shared/domain/routing.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

/** The texts of the form of a shop's routes. */
export const routeTexts = {
  routes: { ru: 'Маршруты', en: 'Routes' },
  add: { ru: 'Добавить маршрут', en: 'Add a route' },
  remove: { ru: 'Убрать маршрут', en: 'Remove the route' },
  unnamed: { ru: 'новый маршрут', en: 'new route' },
  none: {
    ru: 'Маршрутов нет: каждая операция будет отклонена.',
    en: 'There are no routes: every operation will be declined.',
  },
  type: { ru: 'Тип операции', en: 'Type of operation' },
  method: common.method,
  provider: common.provider,
  account: { ru: 'Аккаунт у провайдера', en: 'Account with the provider' },
  environment: { ru: 'из настроек среды', en: 'from the environment' },
  priority: common.priority,
  min: { ru: 'Сумма от', en: 'Amount from' },
  max: { ru: 'Сумма до', en: 'Amount up to' },
  dailyCount: { ru: 'Операций в день', en: 'Operations a day' },
  dailyAmount: { ru: 'Сумма в день', en: 'Amount a day' },
  percent: { ru: 'Комиссия, %', en: 'Commission, %' },
  fixed: { ru: 'Комиссия за операцию', en: 'Commission for each operation' },
  receipt: { ru: 'Нужен чек плательщика', en: 'The payer must upload a receipt' },
  settlement: { ru: 'Валюта расчётов', en: 'Settlement currency' },
  source: { ru: 'Источник курса', en: 'Source of the rate' },
  options: { ru: 'Параметры провайдера, JSON', en: 'Options for the provider, as JSON' },
  same: { ru: 'ничего не изменится', en: 'nothing changes' },
  withConversion: { ru: 'обязательно при конвертации', en: 'required with a conversion' },
  noConversion: { ru: 'без конвертации', en: 'no conversion' },
} as const satisfies Record<string, Words>;

/** What each field means. */
export const routeHints = {
  type: {
    ru: 'Маршрут принимает только платежи или только выплаты.',
    en: 'A route takes payments only, or payouts only.',
  },
  method: {
    ru: 'Только операции с этим методом. Валюту задаёт метод.',
    en: 'Only operations by this method. The currency is that of the method.',
  },
  provider: { ru: 'К кому уходит операция.', en: 'The provider that carries out the operation.' },
  account: {
    ru: 'С какими ключами отправляется операция. Аккаунты заводят на странице провайдера.',
    en: 'The credentials with which the operation is sent. Accounts are added on the provider’s page.',
  },
  priority: {
    ru: 'Меньшее число пробуется раньше; при равных — по порядку в этой форме.',
    en: 'The lowest number is tried first; equal priorities are tried in the order of this form.',
  },
  min: {
    ru: 'Меньшие суммы идут мимо. Например, 100.00; пусто — без границы.',
    en: 'Smaller amounts skip this route. For example 100.00; empty: no limit.',
  },
  max: {
    ru: 'Большие суммы идут мимо. Пусто — без границы.',
    en: 'Larger amounts skip this route. Empty: no limit.',
  },
  dailyCount: {
    ru: 'Не больше стольких за день UTC, потом маршрут пропускается. Пусто — без лимита.',
    en: 'The most operations in a day (UTC); after that the route is skipped. Empty: no limit.',
  },
  dailyAmount: {
    ru: 'Не больше такой суммы за день UTC, в валюте метода. Пусто — без лимита.',
    en: 'The largest total in a day (UTC), in the method’s currency; after that the route is skipped. Empty: no limit.',
  },
  percent: {
    ru: 'Доля суммы от 0 до 100, до четырёх знаков. Платёж зачисляется за её вычетом, у выплаты она списывается сверху.',
    en: 'A percentage of the amount, from 0 to 100, with up to four decimals. It is deducted from a payment, and added to a payout.',
  },
  fixed: {
    ru: 'Прибавляется к проценту; в валюте расчётов. Например, 10.00.',
    en: 'Added to the percentage; in the settlement currency. For example 10.00.',
  },
  receipt: {
    ru: 'Платёж ждёт чека и завершается после его проверки.',
    en: 'The payment waits for a receipt, and completes after its review.',
  },
  settlement: {
    ru: 'Маршрут с конвертацией зачисляет в этой валюте.',
    en: 'A route that converts settles in this currency.',
  },
  source: {
    ru: 'Чей курс; нужен только при конвертации.',
    en: 'The source of the exchange rate; only for a route that converts.',
  },
  options: {
    ru: 'Объект, который получает только провайдер: что в нём может быть, решает он. Пусто — ничего.',
    en: 'A JSON object that only the provider reads; the provider decides what it may contain. Empty: none.',
  },
} as const satisfies Record<string, Words>;

export const tryTexts = {
  title: { ru: 'Какой маршрут выберет операция', en: 'Which route an operation would take' },
  about: {
    ru: 'По маршрутам, выключателям и дневным лимитам на этот момент; провайдера, который сбоит, процессы пропускают и сами. Ничего не создаётся. Банк на выбор маршрута не влияет.',
    en: 'This uses the current routes, switches and daily limits. In addition, each process skips a provider that is failing. Nothing is created. The bank does not affect the choice.',
  },
  route: { ru: 'Маршрут', en: 'Route' },
  candidates: { ru: 'Кандидаты по порядку', en: 'Candidates in order' },
  order: { ru: 'Очередь', en: 'Tried as' },
  noProvider: {
    ru: 'Подходящего маршрута нет: операция была бы отклонена.',
    en: 'No route fits: the operation would be declined.',
  },
  others: { ru: 'Почему не остальные', en: 'Why the others are skipped' },
  why: { ru: 'Причина', en: 'Why' },
} as const satisfies Record<string, Words>;

/** Why an operation does not take a route. */
export const whyNot: Readonly<Record<Misfit | SkipReason, Words>> = {
  type: { ru: 'для другого типа операций', en: 'it is for another type of operation' },
  method: { ru: 'для другого метода', en: 'it is for another method' },
  currency: { ru: 'для другой валюты', en: 'it is for another currency' },
  min_amount: { ru: 'сумма меньше его границы', en: 'the amount is below its limit' },
  max_amount: { ru: 'сумма больше его границы', en: 'the amount is above its limit' },
  route_full: {
    ru: 'лимит на сегодня (UTC) исчерпан для этой суммы',
    en: 'its limit for today (UTC) is reached for this amount',
  },
  limit_unknown: {
    ru: 'сколько он взял сегодня, сейчас неизвестно',
    en: 'its usage today is currently unknown',
  },
  provider_failing: {
    ru: 'провайдер не отвечает, его пропускают на время',
    en: 'the provider is failing, and is skipped for a while',
  },
  provider_off: {
    ru: 'провайдер выключен оператором',
    en: 'an operator switched the provider off',
  },
  account_off: {
    ru: 'его аккаунт у провайдера выключен или удалён',
    en: 'its account with the provider is switched off or removed',
  },
};

import type { ShopSettings } from '../events.ts';
import { refuseReturnUrl } from '../return-url.ts';
import type { SettingEntry } from './entry.ts';

/** The settings of a shop, in the order of forms and pages (CONTRIBUTING.md adds one). */
export const settingEntries = {
  name: {
    kind: 'name',
    changedBy: ['admin'],
    about: 'Its name, for operators and the shop’s staff.',
    label: { ru: 'Название', en: 'Name' },
    column: 'As entered by an operator',
  },
  hosted_page: {
    kind: 'switch',
    default: true,
    changedBy: ['admin'],
    about:
      'Payers may use the [payment page](../merchants/payment-page.md); without it `payment_url` is null.',
    label: { ru: 'Платёжная страница', en: 'Hosted payment page' },
    form: {
      label: { ru: 'Платёжная страница шлюза', en: 'Hosted payment page' },
      hint: {
        ru: 'Плательщики платят на странице шлюза.',
        en: 'Payers pay on a page that the gateway hosts.',
      },
    },
    column: 'Payers may use the hosted payment page',
  },
  display_name: {
    kind: 'text',
    maxCodePoints: 100,
    changedBy: ['admin'],
    about: 'The name shown to payers on the [payment page](../merchants/payment-page.md#the-shop).',
    label: { ru: 'Название для плательщиков', en: 'Name shown to payers' },
    form: {
      hint: {
        ru: 'Показывается на платёжной странице, до 100 знаков. Если пусто, страница не называет магазин.',
        en: 'Shown on the payment page, up to 100 characters. If empty, the page names no shop.',
      },
    },
    column: 'The name that payers see on the hosted payment page',
  },
  support: {
    kind: 'text',
    maxCodePoints: 200,
    changedBy: ['admin'],
    about:
      'The contact shown to payers on the [payment page](../merchants/payment-page.md#the-shop): a phone number, an e-mail or any text.',
    label: { ru: 'Поддержка для плательщиков', en: 'Support for payers' },
    form: {
      hint: {
        ru: 'Телефон, почта или адрес сайта, до 200 знаков.',
        en: 'A phone number, e-mail or web address, up to 200 characters.',
      },
    },
    column: 'Contact for payers, as shown on the page',
  },
  return_url: {
    kind: 'url',
    refuse: refuseReturnUrl,
    changedBy: ['admin'],
    about:
      'The link back to the shop on the [payment page](../merchants/payment-page.md#the-shop): an https address (http where `WEBHOOK_ALLOW_PRIVATE=1`) of at most 2048 characters, without user and password. Its path and query may contain the placeholders `{operation_id}` and `{merchant_operation_id}`, which are replaced with percent-encoded values; other placeholders, or braces elsewhere, are `field_invalid`.',
    label: { ru: 'Ссылка «Вернуться в магазин»', en: '“Return to the shop” link' },
    form: {
      hint: {
        ru: 'https-адрес. В пути и параметрах можно указать {operation_id} и {merchant_operation_id}.',
        en: 'An https URL. The path and the query may contain {operation_id} and {merchant_operation_id}.',
      },
    },
    column: 'URL of the link back to the shop, with its placeholders',
  },
  overdraft_limits: {
    kind: 'limits',
    each: { ru: 'Лимит овердрафта', en: 'Overdraft limit' },
    changedBy: ['admin'],
    about:
      'How far below zero a payout may take the balance in a currency; one that is not named has no limit. A change replaces all limits.',
    label: { ru: 'Лимит овердрафта', en: 'Overdraft limits' },
    form: {
      label: {
        ru: 'Насколько ниже нуля выплата может опустить баланс',
        en: 'How far below zero a payout may take the balance',
      },
      hint: { ru: 'Сумма, 0 или «Без лимита».', en: 'An amount, 0, or “Unlimited”.' },
    },
    column: 'By currency, how far below zero a payout may bring the balance; no entry: no floor',
  },
  rate_limit: {
    kind: 'numbers',
    members: {
      per_second: {
        label: { ru: 'Запросов в секунду', en: 'Requests per second' },
        max: 100_000,
        default: 100,
      },
      burst: {
        label: { ru: 'Запросов сразу (всплеск)', en: 'Burst size' },
        max: 1_000_000,
        default: 200,
      },
    },
    summary: { ru: '{per_second}/с, всплеск {burst}', en: '{per_second}/s, burst {burst}' },
    changedBy: ['admin'],
    about:
      'Requests that a key may send: in a second, and at once. All keys of the shop together may send twice as many.',
    label: { ru: 'Лимит запросов', en: 'Rate limit' },
    form: {
      label: {
        ru: 'Сколько запросов принимать с одним ключом',
        en: 'How many requests a key may send',
      },
      hint: {
        ru: 'Все ключи магазина вместе могут отправить вдвое больше.',
        en: 'All keys of the shop together may send twice as many.',
      },
    },
  },
  payout_batches_need_second_member: {
    kind: 'switch',
    default: false,
    changedBy: ['admin'],
    about:
      '[Files of payouts](../merchants/portal.md#a-second-member) are confirmed by another member than the one who uploaded them. The shop’s staff can’t change it. Create the sign-in links of at least two admins of the shop yourself: a session by a link from the one who uploaded can’t confirm.',
    label: {
      ru: 'Файлы выплат подтверждает второй сотрудник',
      en: 'Files of payouts need a second member',
    },
    form: {
      hint: {
        ru: 'Файл подтверждает в кабинете не тот, кто его загрузил. С API-ключом файл можно только загрузить. Ссылки для входа обоим создавайте здесь: подтвердить нельзя в сеансе по ссылке от того, кто загрузил.',
        en: 'A file is confirmed in the portal, not by the one who uploaded it; an API key only uploads. Create the sign-in links of both here: a session by a link from the one who uploaded can’t confirm.',
      },
    },
    column: 'A file of payouts is confirmed by another member than the one who uploaded it',
  },
} as const satisfies Record<keyof ShopSettings, SettingEntry>;

import { z } from 'zod';
import { findMerchantsNamed, listMerchants } from '#projections/shops/query.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { merchantStream, shopStream, type ShopSettings } from '#shared/domain/shop/events.ts';
import { invalidRequest, validate } from '#shared/platform/http/validate.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { merchantBody, shopBody, shopPatchBody } from '../../api/setup/bodies.ts';
import { shopRules } from '../../api/setup/setting-bodies.ts';
import { trimmedValue, formValue, type Values } from '#shared/platform/sessions/form.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { Console, ConsoleView } from '../env.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { Field } from '../../frame/form-fields.ts';
import type { Action, Done } from './action.ts';
import { changesOnly, renderedValues } from '../../frame/rendered-values.ts';
import { numberOrText, overdraftLimits, prepareShop, shopsTrail, shopStreams } from './shop.ts';

const answered = ({ answer }: Done, name: string): string =>
  String((answer as Readonly<Record<string, unknown>>)[name]);

export const createMerchantAction: Action = {
  path: '/merchants/new',
  route: 'POST /admin/v1/merchants',
  section: 'shops',
  title: { ru: 'Новый мерчант', en: 'New merchant' },
  explain: {
    ru: 'Мерчант объединяет магазины. Ключи, маршруты и балансы у каждого магазина свои.',
    en: 'A merchant groups shops. Each shop has its own keys, routes and balances.',
  },
  button: { ru: 'Создать мерчанта', en: 'Create the merchant' },
  done: {
    ru: 'Мерчант создан. Теперь создайте для него магазин.',
    en: 'The merchant is created. Now create a shop for it.',
  },
  prepare: async (_, { view }) => ({
    about: [],
    fields: [{ name: 'name', label: common.name, kind: 'text' }],
    back: '/shops',
    trail: shopsTrail(view),
  }),
  body: (values) => ({ name: trimmedValue(values, 'name') }),
  check: (_, body) => void validate(merchantBody, body),
  streams: (done) => [merchantStream(answered(done, 'merchant_id'))],
  next: (done) => `/shops/new?merchant_id=${answered(done, 'merchant_id')}`,
};

/** What payers see of the shop on the hosted page. */
const payerFields = (now?: ShopSettings): Field[] => [
  {
    name: 'display_name',
    label: { ru: 'Название для плательщиков', en: 'Name shown to payers' },
    hint: {
      ru: 'Показывается на платёжной странице, до 100 знаков. Если пусто, страница не называет магазин.',
      en: 'Shown on the payment page, up to 100 characters. If empty, the page names no shop.',
    },
    kind: 'text',
    optional: true,
    value: now?.display_name ?? '',
  },
  {
    name: 'support',
    label: { ru: 'Поддержка для плательщиков', en: 'Support for payers' },
    hint: {
      ru: 'Телефон, почта или адрес сайта, до 200 знаков.',
      en: 'A phone number, e-mail or web address, up to 200 characters.',
    },
    kind: 'text',
    optional: true,
    value: now?.support ?? '',
  },
  {
    name: 'return_url',
    label: { ru: 'Ссылка «Вернуться в магазин»', en: '“Return to the shop” link' },
    hint: {
      ru: 'https-адрес. В пути и параметрах можно указать {operation_id} и {merchant_operation_id}.',
      en: 'An https URL. The path and the query may contain {operation_id} and {merchant_operation_id}.',
    },
    kind: 'text',
    optional: true,
    value: now?.return_url ?? '',
  },
];

const settingsFields = ({ t }: ConsoleView, now?: ShopSettings): Field[] => [
  { name: 'name', label: common.name, kind: 'text', value: now?.name ?? '' },
  {
    name: 'hosted_page',
    label: { ru: 'Платёжная страница шлюза', en: 'Hosted payment page' },
    hint: {
      ru: 'Плательщики платят на странице шлюза.',
      en: 'Payers pay on a page that the gateway hosts.',
    },
    kind: 'switch',
    value: (now?.hosted_page ?? true) ? 'on' : '',
  },
  ...payerFields(now),
  {
    name: 'overdraft',
    label: {
      ru: 'Насколько ниже нуля выплата может опустить баланс',
      en: 'How far below zero a payout may take the balance',
    },
    hint: { ru: 'Сумма, 0 или «Без лимита».', en: 'An amount, 0, or “Unlimited”.' },
    kind: 'group',
  },
  ...currencies.map((currency): Field => ({
    name: `overdraft_${currency}`,
    under: 'overdraft',
    label: { ru: `Лимит овердрафта, ${currency}`, en: `Overdraft limit, ${currency}` },
    kind: 'list',
    choices: [{ value: t(common.unlimited), text: t(common.unlimited) }],
    pointer: `/overdraft_limits/${currency}`,
    value: now === undefined ? '' : (now.overdraft_limits[currency] ?? t(common.unlimited)),
  })),
  {
    name: 'rate',
    label: {
      ru: 'Сколько запросов принимать с одним ключом',
      en: 'How many requests a key may send',
    },
    hint: {
      ru: 'Все ключи магазина вместе могут отправить вдвое больше.',
      en: 'All keys of the shop together may send twice as many.',
    },
    kind: 'group',
  },
  {
    name: 'per_second',
    under: 'rate',
    label: { ru: 'Запросов в секунду', en: 'Requests per second' },
    kind: 'number',
    pointer: '/rate_limit/per_second',
    value: String(now?.rate_limit.per_second ?? 100),
  },
  {
    name: 'burst',
    under: 'rate',
    label: { ru: 'Запросов сразу (всплеск)', en: 'Burst size' },
    kind: 'number',
    pointer: '/rate_limit/burst',
    value: String(now?.rate_limit.burst ?? 200),
  },
  {
    name: 'payout_batches_need_second_member',
    label: common.secondMember,
    hint: {
      ru: 'Файл подтверждает в кабинете не тот, кто его загрузил. С API-ключом файл можно только загрузить. Ссылки для входа обоим создавайте здесь: подтвердить нельзя в сеансе по ссылке от того, кто загрузил.',
      en: 'A file is confirmed in the portal, not by the one who uploaded it; an API key only uploads. Create the sign-in links of both here: a session by a link from the one who uploaded can’t confirm.',
    },
    kind: 'switch',
    value: now?.payout_batches_need_second_member ? 'on' : '',
  },
];

const settings = (values: Values) => ({
  name: trimmedValue(values, 'name'),
  hosted_page: formValue(values, 'hosted_page') !== undefined,
  display_name: formValue(values, 'display_name') ?? null,
  support: formValue(values, 'support') ?? null,
  return_url: formValue(values, 'return_url') ?? null,
  overdraft_limits: overdraftLimits(values),
  rate_limit: {
    per_second: numberOrText(formValue(values, 'per_second')),
    burst: numberOrText(formValue(values, 'burst')),
  },
  payout_batches_need_second_member:
    formValue(values, 'payout_batches_need_second_member') !== undefined,
});

const maxMerchantsListed = 500;

/** @throws Problem invalid_request where none, or more than one, is meant */
async function resolveMerchantId({ store, db }: Console, text: string): Promise<string> {
  if (text === '') return text;
  if (z.guid().safeParse(text).success) {
    const [merchant] = await fromStore(
      store.read(merchantStream(text.toLowerCase()), { maxCount: 1 }),
    );
    if (merchant) return text.toLowerCase();
  }
  const [only, ...others] = await fromDatabase(findMerchantsNamed(db, text));
  if (only && others.length === 0) return only.merchant_id;
  const detail = only
    ? 'several merchants have this name: choose one from the list'
    : 'there is no such merchant';
  throw invalidRequest([{ pointer: '/merchant_id', code: 'field_invalid', detail }]);
}

export const createShopAction: Action = {
  path: '/shops/new',
  route: 'POST /admin/v1/shops',
  section: 'shops',
  title: { ru: 'Новый магазин', en: 'New shop' },
  explain: {
    ru: 'После создания задайте магазину маршруты, ключ и вебхук.',
    en: 'After you create a shop, set its routes, a key and a webhook.',
  },
  button: { ru: 'Создать магазин', en: 'Create the shop' },
  done: {
    ru: 'Магазин создан. Дальше: маршруты, ключ, вебхук.',
    en: 'The shop is created. Next: set its routes, a key and a webhook.',
  },
  prepare: async ({ db }, { view }) => {
    const merchants = await fromDatabase(listMerchants(db, maxMerchantsListed));
    return {
      about: [],
      fields: [
        {
          name: 'merchant_id',
          label: common.merchant,
          hint: {
            ru: 'Название мерчанта или его идентификатор.',
            en: 'The merchant’s name or ID.',
          },
          kind: 'list',
          choices: merchants.map(({ merchant_id, name }) => ({ value: merchant_id, text: name })),
        },
        ...settingsFields(view),
      ],
      back: '/shops',
      trail: shopsTrail(view),
    };
  },
  resolve: async (console, values) => ({
    ...values,
    merchant_id: await resolveMerchantId(console, trimmedValue(values, 'merchant_id')),
  }),
  body: (values) => ({ merchant_id: trimmedValue(values, 'merchant_id'), ...settings(values) }),
  check: (console, body) => void validate(shopBody, body, shopRules(console)),
  streams: (done) => [shopStream(answered(done, 'shop_id'))],
  next: (done) => `/shops/${answered(done, 'shop_id')}`,
};

export const changeShopAction: Action = {
  path: '/shops/:shop_id/settings',
  route: 'PATCH /admin/v1/shops/:shop_id',
  section: 'shops',
  title: { ru: 'Настройки магазина', en: 'Shop settings' },
  explain: {
    ru: 'Начинает действовать сразу на всех экземплярах.',
    en: 'Takes effect at once on every instance.',
  },
  button: common.save,
  done: { ru: 'Настройки сохранены.', en: 'The settings are saved.' },
  prepare: (console, about) =>
    prepareShop(console, about, (shop) => {
      const fields = settingsFields(about.view, shop.settings);
      return { fields: [...fields, renderedValues(fields)] };
    }),
  body: (values) => changesOnly(values, settings),
  check: (console, body) => void validate(shopPatchBody, body, shopRules(console)),
  streams: shopStreams,
};

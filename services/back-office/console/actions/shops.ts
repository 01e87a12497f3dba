import { z } from 'zod';
import { findMerchantsNamed, listMerchants } from '#projections/shops/query.ts';
import { merchantStream, shopStream } from '#shared/domain/shop/events.ts';
import { invalidRequest, validate } from '#shared/platform/http/validate.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { merchantBody, shopBody, shopPatchBody } from '../../api/setup/bodies.ts';
import { shopRules } from '../../api/setup/setting-bodies.ts';
import { trimmedValue } from '#shared/platform/sessions/form.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { Console } from '../env.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { Action, Done } from './action.ts';
import { changesOnly, renderedValues } from '../../frame/rendered-values.ts';
import { settingFields, settingsInForm } from '../shops/setting-fields.ts';
import { prepareShop, shopStreams } from './shop.ts';

const answered = ({ answer }: Done, name: string): string =>
  String((answer as Readonly<Record<string, unknown>>)[name]);

export const createMerchantAction: Action = {
  path: '/merchants/new',
  route: 'POST /admin/v1/merchants',
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
  prepare: async () => ({
    about: [],
    fields: [{ name: 'name', label: common.name, kind: 'text' }],
  }),
  body: (values) => ({ name: trimmedValue(values, 'name') }),
  check: (_, body) => void validate(merchantBody, body),
  streams: (done) => [merchantStream(answered(done, 'merchant_id'))],
  next: (done) => `/shops/new?merchant_id=${answered(done, 'merchant_id')}`,
};

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
        ...settingFields(view),
      ],
    };
  },
  resolve: async (console, values) => ({
    ...values,
    merchant_id: await resolveMerchantId(console, trimmedValue(values, 'merchant_id')),
  }),
  body: (values) => ({
    merchant_id: trimmedValue(values, 'merchant_id'),
    ...settingsInForm(values),
  }),
  check: (console, body) => void validate(shopBody, body, shopRules(console)),
  streams: (done) => [shopStream(answered(done, 'shop_id'))],
  next: (done) => `/shops/${answered(done, 'shop_id')}`,
};

export const changeShopAction: Action = {
  path: '/shops/:shop_id/settings',
  route: 'PATCH /admin/v1/shops/:shop_id',
  title: { ru: 'Настройки магазина', en: 'Shop settings' },
  explain: {
    ru: 'Начинает действовать сразу на всех экземплярах.',
    en: 'Takes effect at once on every instance.',
  },
  button: common.save,
  done: { ru: 'Настройки сохранены.', en: 'The settings are saved.' },
  prepare: (console, about) =>
    prepareShop(console, about, (shop) => {
      const fields = settingFields(about.view, shop.settings);
      return { fields: [...fields, renderedValues(fields)] };
    }),
  body: (values) => changesOnly(values, settingsInForm),
  check: (console, body) => void validate(shopPatchBody, body, shopRules(console)),
  streams: shopStreams,
};

import { limitsIn, readApiKeyBody } from '#shared/application/directory/api-key-body.ts';
import { actWords } from '../../frame/action-texts.ts';
import { toKeyBody, keyFields } from '../../frame/api-keys.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { issueShopKey, revokeShopKey } from '#shared/application/shops/shop-secrets.ts';
import { common } from '#shared/application/pages/translations.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Act } from './action.ts';

export const issueApiKeyAct: Act = {
  path: '/keys/new',
  ...actWords.issueKey,
  prepare: async (_, { view }) => ({ fields: keyFields(view) }),
  run: async ({ store, now }, { session, view, values, origin }) => {
    const body = readApiKeyBody(toKeyBody(values, view), now());
    const { label } = body;
    const { shopId } = session.shop;
    const { apiKey } = await issueShopKey(store, { shopId, label, limits: limitsIn(body), origin });
    return { secret: { label: common.apiKey, value: apiKey } };
  },
};

export const revokeApiKeyAct: Act = {
  path: '/keys/:key_id/revoke',
  ...actWords.revokeKey,
  danger: true,
  prepare: async ({ store }, { params, view: { t }, session }) => {
    const keyId = readPathId(params['key_id']);
    // Only among this shop's keys: another shop's key is not found, like one that never existed.
    const { apiKeys } = await readShop(store, session.shop.shopId);
    const key = apiKeys.find((each) => each.keyId === keyId);
    if (!key) throw new Problem('not_found');
    return {
      about: [
        [t(common.label), key.label],
        [t(common.key), `…${key.hint}`],
      ],
    };
  },
  run: async ({ store }, { params, session, origin }) =>
    revokeShopKey(store, {
      shopId: session.shop.shopId,
      keyId: readPathId(params['key_id']),
      origin,
    }),
};

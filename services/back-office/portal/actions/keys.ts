import { apiKeyBody, limitsIn } from '#shared/application/directory/api-key-body.ts';
import { actWords } from '../../frame/action-texts.ts';
import { keyBodyOf, keyFields } from '../../frame/api-keys.ts';
import { pathId, readShop } from '#shared/application/directory/command-shop.ts';
import { issueKey, revokeKey } from '#shared/application/directory/shop-secrets.ts';
import { common } from '#shared/application/pages/translations.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { Act } from './action.ts';

export const issueApiKey: Act = {
  path: '/keys/new',
  section: 'keys',
  ...actWords.issueKey,
  back: '/keys',
  prepare: async () => ({ fields: keyFields }),
  run: async ({ store }, { session, values, origin }) => {
    const body = validate(apiKeyBody, keyBodyOf(values));
    const { label } = body;
    const { shopId } = session.shop;
    const { apiKey } = await issueKey(store, { shopId, label, limits: limitsIn(body), origin });
    return { secret: { label: common.apiKey, value: apiKey } };
  },
};

export const revokeApiKey: Act = {
  path: '/keys/:key_id/revoke',
  section: 'keys',
  ...actWords.revokeKey,
  danger: true,
  back: '/keys',
  prepare: async ({ store }, { params, view: { t }, session }) => {
    const keyId = pathId(params['key_id']);
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
    revokeKey(store, { shopId: session.shop.shopId, keyId: pathId(params['key_id']), origin }),
};

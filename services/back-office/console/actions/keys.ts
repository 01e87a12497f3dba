import { apiKeyBody } from '#shared/application/directory/api-key-body.ts';
import { actWords } from '../../frame/action-texts.ts';
import { keyBodyOf, keyFields } from '../../frame/api-keys.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { Action } from './action.ts';
import { prepareShop, shopStreams } from './shop.ts';

export const issueKey: Action = {
  path: '/shops/:shop_id/keys/new',
  route: 'POST /admin/v1/shops/:shop_id/api-keys',
  section: 'shops',
  ...actWords.issueKey,
  prepare: (console, about) => prepareShop(console, about, () => ({ fields: keyFields })),
  body: keyBodyOf,
  check: (_, body) => void validate(apiKeyBody, body),
  streams: shopStreams,
  secret: ({ answer }) => ({
    label: common.apiKey,
    value: (answer as { api_key: string }).api_key,
  }),
};

export const revokeKey: Action = {
  path: '/shops/:shop_id/keys/:key_id/revoke',
  route: 'DELETE /admin/v1/api-keys/:key_id',
  section: 'shops',
  ...actWords.revokeKey,
  danger: true,
  prepare: (console, about) =>
    prepareShop(console, about, ({ apiKeys }) => {
      const { t } = about.view;
      const key = apiKeys.find(({ keyId }) => keyId === about.params['key_id']);
      if (!key) throw new Problem('not_found');
      return {
        about: [
          [t(common.label), key.label],
          [t(common.key), `…${key.hint}`],
        ],
      };
    }),
  streams: shopStreams,
};

import { readApiKeyBody } from '#shared/application/directory/api-key-body.ts';
import { actWords } from '../../frame/action-texts.ts';
import { toKeyBody, keyFields } from '../../frame/api-keys.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { common } from '#shared/application/pages/translations.ts';
import { sandboxShare } from '#shared/domain/shop/state.ts';
import { testModeBadge } from '../../frame/test-mode-badge.ts';
import type { Action } from './action.ts';
import { prepareShop, shopStreams } from './shop.ts';

export const issueKeyAction: Action = {
  path: '/shops/:shop_id/keys/new',
  route: 'POST /admin/v1/shops/:shop_id/api-keys',
  ...actWords.issueKey,
  prepare: (console, about) =>
    prepareShop(console, about, (shop) => ({
      fields: keyFields(about.view),
      ...(sandboxShare(shop) !== 'none' && {
        about: [[about.view.t(common.status), testModeBadge(about.view)]],
      }),
    })),
  body: toKeyBody,
  check: ({ now }, body) => void readApiKeyBody(body, now()),
  streams: shopStreams,
  secret: ({ answer }) => ({
    label: common.apiKey,
    value: (answer as { api_key: string }).api_key,
  }),
};

export const revokeKeyAction: Action = {
  path: '/shops/:shop_id/keys/:key_id/revoke',
  route: 'DELETE /admin/v1/api-keys/:key_id',
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

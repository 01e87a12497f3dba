import { validate } from '#shared/platform/http/validate.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { apiKeyBody } from '../../api/setup/bodies.ts';
import { common } from '../words.ts';
import type { Action } from './action.ts';
import { given, prepareShop, shopStreams } from './shop.ts';

export const issueKey: Action = {
  path: '/shops/:shop_id/keys/new',
  route: 'POST /admin/v1/shops/:shop_id/api-keys',
  section: 'shops',
  title: { ru: 'Новый API-ключ', en: 'New API key' },
  explain: {
    ru: 'Ключ показывается один раз; хранится только его хеш. Выпущенные раньше ключи продолжают действовать.',
    en: 'The key is shown once; only its hash is stored. Existing keys keep working.',
  },
  button: { ru: 'Выпустить ключ', en: 'Issue the key' },
  done: { ru: 'Ключ выпущен.', en: 'The key is issued.' },
  prepare: (console, about) =>
    prepareShop(console, about, () => ({
      fields: [
        {
          name: 'label',
          label: common.label,
          hint: {
            ru: 'Где ключ будет использоваться, например «сервер 1».',
            en: 'Where the key will be used, for example “server 1”.',
          },
          kind: 'text',
        },
      ],
    })),
  body: (values) => ({ label: given(values, 'label') ?? '' }),
  check: (_, body) => void validate(apiKeyBody, body),
  streams: shopStreams,
  secret: ({ answer }) => ({
    label: { ru: 'API-ключ', en: 'API key' },
    value: (answer as { api_key: string }).api_key,
  }),
};

export const revokeKey: Action = {
  path: '/shops/:shop_id/keys/:key_id/revoke',
  route: 'DELETE /admin/v1/api-keys/:key_id',
  section: 'shops',
  title: { ru: 'Отозвать API-ключ', en: 'Revoke the API key' },
  explain: {
    ru: 'Запросы с этим ключом сразу начнут отклоняться. Вернуть отозванный ключ нельзя.',
    en: 'Requests with this key are refused at once. A revoked key can’t be restored.',
  },
  button: { ru: 'Отозвать ключ', en: 'Revoke the key' },
  danger: true,
  done: { ru: 'Ключ отозван.', en: 'The key is revoked.' },
  prepare: (console, about) =>
    prepareShop(console, about, ({ apiKeys }) => {
      const { t } = about.view;
      const key = apiKeys.find(({ keyId }) => keyId === about.params['key_id']);
      if (!key) throw new Problem('not_found');
      return {
        about: [
          [t(common.label), key.label],
          [t({ ru: 'Ключ', en: 'Key' }), `…${key.hint}`],
        ],
      };
    }),
  streams: shopStreams,
};

import { z } from 'zod';
import { pathId, readShop } from '#shared/application/directory/command-shop.ts';
import { issueKey, revokeKey } from '#shared/application/directory/shop-secrets.ts';
import { common } from '#shared/application/pages/words.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { Act } from './act.ts';

const keyBody = z.strictObject({ label: nameText });

export const issueApiKey: Act = {
  path: '/keys/new',
  section: 'keys',
  title: { ru: 'Новый API-ключ', en: 'New API key' },
  explain: {
    ru: 'Ключ показывается один раз; хранится только его хеш. Выпущенные раньше ключи продолжают действовать.',
    en: 'The key is shown once; only its hash is stored. Existing keys keep working.',
  },
  button: { ru: 'Выпустить ключ', en: 'Issue the key' },
  done: { ru: 'Ключ выпущен.', en: 'The key is issued.' },
  back: '/keys',
  prepare: async () => ({
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
  }),
  run: async ({ store }, { session, values, origin }) => {
    const { label } = validate(keyBody, { label: (values['label'] ?? '').trim() });
    const { apiKey } = await issueKey(store, { shopId: session.shop.shopId, label, origin });
    return { label: { ru: 'API-ключ', en: 'API key' }, value: apiKey };
  },
};

export const revokeApiKey: Act = {
  path: '/keys/:key_id/revoke',
  section: 'keys',
  title: { ru: 'Отозвать API-ключ', en: 'Revoke the API key' },
  explain: {
    ru: 'Запросы с этим ключом сразу начнут отклоняться. Вернуть отозванный ключ нельзя.',
    en: 'Requests with this key are refused at once. A revoked key can’t be restored.',
  },
  button: { ru: 'Отозвать ключ', en: 'Revoke the key' },
  danger: true,
  done: { ru: 'Ключ отозван.', en: 'The key is revoked.' },
  back: '/keys',
  prepare: async ({ store }, { params, view: { t }, session }) => {
    const keyId = pathId(params['key_id']);
    // Of this shop's own keys: another's is as absent as one that never was.
    const { apiKeys } = await readShop(store, session.shop.shopId);
    const key = apiKeys.find((each) => each.keyId === keyId);
    if (!key) throw new Problem('not_found');
    return {
      about: [
        [t(common.label), key.label],
        [t({ ru: 'Ключ', en: 'Key' }), `…${key.hint}`],
      ],
    };
  },
  run: async ({ store }, { params, session, origin }) =>
    revokeKey(store, { shopId: session.shop.shopId, keyId: pathId(params['key_id']), origin }),
};

import { actWords, apiKeyName, keyLabelHint } from '#shared/application/pages/act-words.ts';
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
  ...actWords.issueKey,
  back: '/keys',
  prepare: async () => ({
    fields: [
      {
        name: 'label',
        label: common.label,
        hint: keyLabelHint,
        kind: 'text',
      },
    ],
  }),
  run: async ({ store }, { session, values, origin }) => {
    const { label } = validate(keyBody, { label: (values['label'] ?? '').trim() });
    const { apiKey } = await issueKey(store, { shopId: session.shop.shopId, label, origin });
    return { label: apiKeyName, value: apiKey };
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
        [t({ ru: 'Ключ', en: 'Key' }), `…${key.hint}`],
      ],
    };
  },
  run: async ({ store }, { params, session, origin }) =>
    revokeKey(store, { shopId: session.shop.shopId, keyId: pathId(params['key_id']), origin }),
};

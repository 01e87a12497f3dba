import { actWords, secretName } from '#shared/application/pages/act-words.ts';
import { ping, redeliver, redeliverByFilter } from '#services/webhooks/queries.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { rotateSecret as rotate } from '#shared/application/directory/shop-secrets.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import { keepCommand } from '#shared/application/webhooks/keep-command.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Portal } from '../env.ts';
import { findMessage } from '../webhooks/find.ts';
import type { Act, Given, Prepared } from './act.ts';

/** @throws Problem not_found where the shop has no webhook yet */
async function prepareWebhook({ store }: Portal, { session }: Given): Promise<Prepared> {
  const { endpoints } = await readShop(store, session.shop.shopId);
  const [first] = endpoints;
  if (!first) throw new Problem('not_found', { detail: 'the shop has no webhook yet' });
  return { about: [['URL', first.url]] };
}

export const rotateSecret: Act = {
  path: '/webhooks/rotate',
  section: 'webhooks',
  ...actWords.rotateSecret,
  back: '/webhooks',
  prepare: prepareWebhook,
  run: async ({ store }, { session, origin }) => ({
    label: secretName,
    value: await rotate(store, { shopId: session.shop.shopId, origin }),
  }),
};

export const pingWebhook: Act = {
  path: '/webhooks/ping',
  section: 'webhooks',
  title: { ru: 'Проверить вебхук', en: 'Ping the webhook' },
  explain: {
    ru: 'Ставит в очередь вебхук «ping»; его попытки видны среди доставок.',
    en: 'Queues a webhook of type “ping”; see its attempts among the deliveries.',
  },
  button: { ru: 'Отправить ping', en: 'Send a ping' },
  done: { ru: 'Ping поставлен в очередь.', en: 'The ping is queued.' },
  back: '/webhooks',
  prepare: prepareWebhook,
  run: async ({ store, db }, { session: { shop }, origin }) => {
    const data = { shop_id: shop.shopId };
    await keepCommand(store, { type: 'WebhookPingRequested', data }, origin);
    const endpointId = endpointIn(await readShop(store, shop.shopId))?.endpointId;
    await fromDatabase(ping(db, { shopId: shop.shopId, endpointId }));
  },
};

export const resendExhausted: Act = {
  path: '/webhooks/resend',
  section: 'webhooks',
  title: { ru: 'Отправить недоставленные снова', en: 'Resend the exhausted webhooks' },
  explain: {
    ru: 'Снова отправляются все недоставленные вебхуки: не больше 2000 за раз, сначала старые.',
    en: 'Resends every exhausted webhook: at most 2,000 at a time, oldest first.',
  },
  button: { ru: 'Отправить снова', en: 'Resend' },
  done: { ru: 'Вебхуки отправляются снова.', en: 'The webhooks are being resent.' },
  back: '/webhooks',
  prepare: prepareWebhook,
  run: async ({ store, db }, { session: { shop }, origin }) => {
    const data = { shop_id: shop.shopId, status: 'exhausted' };
    await keepCommand(store, { type: 'WebhookRedeliveriesRequested', data }, origin);
    await fromDatabase(redeliverByFilter(db, { shopId: shop.shopId, status: 'exhausted' }));
  },
};

export const resendMessage: Act = {
  path: '/webhooks/messages/:message_id/resend',
  section: 'webhooks',
  ...actWords.resendWebhook,
  back: '/webhooks',
  prepare: async ({ db }, { params, session }) => {
    const message = await findMessage(db, session.shop.shopId, params['message_id']);
    return {
      about: [
        ['webhook-id', message.message_id],
        ['type', message.type],
      ],
    };
  },
  run: async ({ store, db }, { params, session, origin }) => {
    const { message_id, shop_id } = await findMessage(
      db,
      session.shop.shopId,
      params['message_id'],
    );
    await keepCommand(
      store,
      { type: 'WebhookRedeliveryRequested', data: { shop_id, message_id } },
      origin,
    );
    await fromDatabase(redeliver(db, message_id));
  },
};

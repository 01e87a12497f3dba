import { actWords } from '#shared/application/pages/act-words.ts';
import { redeliver, redeliverByFilter } from '#services/webhooks/queries.ts';
import { keepCommand } from '#shared/application/webhooks/keep-command.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { findMessage } from '../webhooks/find.ts';
import type { Act } from './act.ts';

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
  prepare: async () => ({}),
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
    const { message_id, shop_id, endpoint_id } = await findMessage(
      db,
      session.shop.shopId,
      params['message_id'],
    );
    await keepCommand(
      store,
      { type: 'WebhookRedeliveryRequested', data: { shop_id, message_id } },
      origin,
    );
    await fromDatabase(redeliver(db, message_id, endpoint_id));
  },
};

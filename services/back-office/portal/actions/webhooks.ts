import { isCursor } from '#shared/application/webhooks/messages/cursor.ts';
import { actWords } from '../../frame/action-texts.ts';
import { countRedeliverable } from '#shared/application/webhooks/messages/redeliver-by-filter.ts';
import { count } from '../../frame/components.ts';
import {
  deliveryQuery,
  deliveryWords,
  readDeliveryFilter,
  resentFilter,
  toMessageFilter,
} from '../../frame/delivery-filter.ts';
import { messageStatusNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { resendWebhook, resendWebhooks } from '#shared/application/webhooks/commands.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { findMessage } from '../webhooks/find.ts';
import type { Act, ActRequest } from './action.ts';

function resendQuery({ session: { shop }, query, view }: ActRequest) {
  const deliveryFilter = readDeliveryFilter(query);
  const filter = resentFilter(toMessageFilter(deliveryFilter, view.zone));
  const cursor = query['cursor'];
  const from = cursor !== undefined && isCursor(cursor) ? { cursor } : {};
  return { deliveryFilter, query: { shopId: shop.shopId, ...filter, ...from } };
}

export const resendShown: Act = {
  path: '/webhooks/resend',
  title: { ru: 'Отправить вебхуки снова', en: 'Resend webhooks' },
  explain: {
    ru: 'Снова отправляются все вебхуки, которые подходят под фильтр списка: не больше 2000 за раз, сначала старые.',
    en: 'Resends every webhook that matches the filter of the list: at most 2,000 at a time, oldest first.',
  },
  button: common.resend,
  done: { ru: 'Вебхуки отправляются снова.', en: 'The webhooks are being resent.' },
  prepare: async ({ db }, given) => {
    const { deliveryFilter, query } = resendQuery(given);
    const { view, session } = given;
    const { t } = view;
    const { count: matching, more } = await fromDatabase(countRedeliverable(db, query));
    const url = session.shop.endpoints.find(
      (each) => each.endpointId === deliveryFilter.endpoint,
    )?.url;
    return {
      about: [
        [
          t(deliveryWords.matching),
          `${count(view, matching)}${more ? ` (${t(deliveryWords.more)})` : ''}`,
        ],
        [t(common.status), t(messageStatusNames[query.status])],
        [t(deliveryWords.type), deliveryFilter.type],
        [t(common.endpoint), url ?? deliveryFilter.endpoint],
        [t(deliveryWords.operation), deliveryFilter.operation_id],
        [t(common.from), deliveryFilter.from],
        [t(common.to), deliveryFilter.to],
      ],
      ...(matching === 0 && { nothing: deliveryWords.noneMatches }),
    };
  },
  run: async (ports, doing) => {
    const { deliveryFilter, query } = resendQuery(doing);
    const { shopId, operationId, endpointId, from, to, ...filter } = query;
    const data = {
      shop_id: shopId,
      ...filter,
      from: from?.toISOString(),
      to: to?.toISOString(),
      operation_id: operationId,
      endpoint_id: endpointId,
    };
    const { count: sent, next_cursor: cursor } = await resendWebhooks(ports, data, doing.origin);
    const rest = deliveryQuery({ ...deliveryFilter, ...(cursor !== null && { cursor }) });
    return {
      done: {
        ru: `Отправляется снова вебхуков: ${sent}.${cursor === null ? '' : ' Есть ещё: продолжите ниже.'}`,
        en: `Webhooks being resent: ${sent}.${cursor === null ? '' : ' There are more: continue below.'}`,
      },
      next: `${cursor === null ? '/webhooks' : '/webhooks/resend'}${rest === '' ? '' : `?${rest}`}`,
    };
  },
};

export const resendMessage: Act = {
  path: '/webhooks/messages/:message_id/resend',
  ...actWords.resendWebhook,
  back: ({ message_id: id = '' }) => `/webhooks/messages/${id}`,
  prepare: async ({ db }, { params, session }) => {
    const message = await findMessage(db, session.shop.shopId, params['message_id']);
    return {
      about: [
        ['webhook-id', message.message_id],
        ['type', message.type],
      ],
    };
  },
  run: async (ports, { params, session, origin }) => {
    const { message_id, shop_id, endpoint_id } = await findMessage(
      ports.db,
      session.shop.shopId,
      params['message_id'],
    );
    const data = { shop_id, message_id };
    await resendWebhook(ports, data, { endpointId: endpoint_id, origin });
  },
};

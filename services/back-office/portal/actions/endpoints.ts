import { z } from 'zod';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { pathId, readShop } from '#shared/application/directory/command-shop.ts';
import { rotateSecret } from '#shared/application/directory/shop-secrets.ts';
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  deleteWebhookEndpoint,
} from '#shared/application/directory/webhook-endpoints.ts';
import { actWords, secretName } from '../../frame/action-texts.ts';
import type { Field } from '../../frame/form-fields.ts';
import { changesOnly, renderedValues } from '../../frame/rendered-values.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import {
  endpointDescription,
  endpointTypes,
  endpointUrl,
  refuseEndpointUrl,
} from '#shared/application/webhooks/endpoint-settings.ts';
import { storeCommand } from '#shared/application/webhooks/store-command.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { trimmedValue, valueOf, type Values } from '#shared/platform/sessions/form.ts';
import type { Portal } from '../env.ts';
import type { Act, Given, Prepared } from './action.ts';

const back = '/webhooks';
const section = 'webhooks';
const path = '/webhooks/endpoints/:endpoint_id';
const settings = z.strictObject({
  url: endpointUrl,
  types: endpointTypes.nullable(),
  description: endpointDescription.nullable(),
  enabled: z.boolean(),
});
const typesHint: Words = {
  ru: 'Какие типы вебхуков слать. Если не отмечен ни один — все, и новые тоже.',
  en: 'Which types of webhooks to send. With none of them checked: all, new ones too.',
};
// A ping goes where it is sent.
const choosable = webhookTypes.filter((type) => type !== 'ping');

const fieldsOf = (endpoint?: WebhookEndpoint): Field[] => [
  {
    name: 'url',
    label: { ru: 'Адрес (URL)', en: 'URL' },
    kind: 'text',
    value: endpoint?.url ?? '',
  },
  {
    name: 'description',
    label: common.label,
    kind: 'text',
    optional: true,
    value: endpoint?.description ?? '',
  },
  ...choosable.map((type, index): Field => ({
    name: `type:${type}`,
    label: { ru: type, en: type },
    ...(index === 0 && { hint: typesHint }),
    kind: 'switch',
    value: endpoint?.types?.includes(type) ? 'on' : '',
  })),
];

/** What a form says. */
function settingsOf(values: Values) {
  const types = choosable.filter((type) => Boolean(values[`type:${type}`]));
  return {
    url: trimmedValue(values, 'url'),
    types: types.length > 0 ? types : null,
    description: valueOf(values, 'description') ?? null,
    enabled: Boolean(values['enabled']),
  };
}

/** @throws Problem invalid_request */
function validated<Change extends Partial<ReturnType<typeof settingsOf>>>(
  change: Change,
  { allowPrivate }: Pick<Portal, 'allowPrivate'>,
): Change {
  validate(settings.partial(), change);
  if (change.url !== undefined) refuseEndpointUrl(change.url, { allowPrivate });
  return change;
}

/** @throws Problem not_found also for another shop's */
async function find({ store }: Portal, { params, session }: Given): Promise<WebhookEndpoint> {
  const shop = await readShop(store, session.shop.shopId);
  const endpoint = endpointIn(shop, pathId(params['endpoint_id']));
  if (!endpoint) throw new Problem('not_found');
  return endpoint;
}

const prepare = async (portal: Portal, given: Given): Promise<Prepared> => ({
  about: [['URL', (await find(portal, given)).url]],
});

const of = ({ params, session, origin }: Parameters<Act['run']>[1]) => ({
  shopId: session.shop.shopId,
  endpointId: pathId(params['endpoint_id']),
  origin,
});

export const addEndpoint: Act = {
  path: '/webhooks/endpoints/new',
  section,
  title: { ru: 'Новый адрес для вебхуков', en: 'New webhook endpoint' },
  explain: {
    ru: 'Сюда придут вебхуки о событиях с этого времени. Секрет подписи показывается один раз.',
    en: 'It gets the webhooks of events from now on. Its signing secret is shown once.',
  },
  button: { ru: 'Добавить адрес', en: 'Add the endpoint' },
  done: { ru: 'Адрес добавлен.', en: 'The endpoint is added.' },
  back,
  prepare: async () => ({ fields: fieldsOf() }),
  run: async (portal, { session: { shop }, values, origin }) => {
    const { url, types, description } = validated(settingsOf(values), portal);
    const added = await addWebhookEndpoint(portal.store, {
      shopId: shop.shopId,
      origin,
      url,
      types: types ?? undefined,
      description: description ?? undefined,
    });
    return { secret: { label: secretName, value: added.secret } };
  },
};

export const editEndpoint: Act = {
  path: `${path}/edit`,
  section,
  title: { ru: 'Изменить адрес для вебхуков', en: 'Edit the webhook endpoint' },
  explain: {
    ru: 'Ожидающие вебхуки уйдут на новый адрес. Типы действуют для следующих событий. Пока адрес выключен, вебхуки ждут.',
    en: 'Pending webhooks go to the new URL. Types apply to later events. While it is off, webhooks wait.',
  },
  button: common.save,
  done: { ru: 'Адрес сохранён.', en: 'The endpoint is saved.' },
  back,
  prepare: async (portal, given) => {
    const endpoint = await find(portal, given);
    const enabled: Field = {
      name: 'enabled',
      label: { ru: 'Отправлять', en: 'Send webhooks' },
      kind: 'switch',
      value: endpoint.enabled ? 'on' : '',
    };
    const fields = [...fieldsOf(endpoint), enabled];
    return { fields: [...fields, renderedValues(fields)] };
  },
  run: async (portal, doing) => {
    const change = validated(changesOnly(doing.values, settingsOf), portal);
    if (change.enabled && change.url === undefined)
      refuseEndpointUrl((await find(portal, doing)).url, portal);
    await changeWebhookEndpoint(portal.store, { ...of(doing), change });
  },
};

export const rotateEndpointSecret: Act = {
  path: `${path}/rotate`,
  section,
  ...actWords.rotateSecret,
  back,
  prepare,
  run: async ({ store }, doing) => ({
    secret: { label: secretName, value: await rotateSecret(store, of(doing)) },
  }),
};

export const pingEndpoint: Act = {
  path: `${path}/ping`,
  section,
  title: { ru: 'Проверить адрес', en: 'Ping the endpoint' },
  explain: {
    ru: 'Ставит в очередь вебхук «ping». Следующая страница покажет, чем кончилась отправка.',
    en: 'Queues a webhook of type “ping”. The next page shows how its delivery goes.',
  },
  button: { ru: 'Отправить ping', en: 'Send a ping' },
  done: { ru: 'Ping поставлен в очередь.', en: 'The ping is queued.' },
  back,
  prepare,
  run: async (portal, doing) => {
    const { endpointId } = await find(portal, doing);
    const { shopId, origin } = of(doing);
    const data = { shop_id: shopId };
    await storeCommand(portal.store, { type: 'WebhookPingRequested', data }, origin);
    const messageId = await fromDatabase(ping(portal.db, { shopId, endpointId }));
    return { next: `/webhooks/messages/${messageId}` };
  },
};

export const deleteEndpoint: Act = {
  path: `${path}/delete`,
  section,
  title: { ru: 'Удалить адрес для вебхуков', en: 'Delete the webhook endpoint' },
  explain: {
    ru: 'Вебхуки, которые его ждут, отменяются и не будут отправлены. Вернуть адрес нельзя.',
    en: 'Webhooks that wait for it are cancelled and never sent. It can’t be restored.',
  },
  button: { ru: 'Удалить адрес', en: 'Delete the endpoint' },
  danger: true,
  done: { ru: 'Адрес удалён.', en: 'The endpoint is deleted.' },
  back,
  prepare,
  run: async ({ store }, doing) => deleteWebhookEndpoint(store, of(doing)),
};

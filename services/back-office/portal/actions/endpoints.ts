import { z } from 'zod';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { rotateShopSecret } from '#shared/application/shops/shop-secrets.ts';
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  deleteWebhookEndpoint,
} from '#shared/application/shops/webhook-endpoints.ts';
import { actWords, secretName } from '../../frame/action-texts.ts';
import { allOrSomeFields, readAllOrSome } from '../../frame/all-or-some.ts';
import type { Field } from '../../frame/form-fields.ts';
import { webhookTypeLabels, type ChoosableWebhookType } from '#shared/domain/webhook/types.ts';
import { changesOnly, renderedValues } from '../../frame/rendered-values.ts';
import { common } from '#shared/application/pages/translations.ts';
import {
  endpointDescription,
  endpointTypes,
  endpointUrl,
  refuseEndpointUrl,
} from '#shared/application/webhooks/endpoint-settings.ts';
import { sendPing } from '#shared/application/webhooks/commands.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { trimmedValue, formValue, type Values } from '#shared/platform/sessions/form.ts';
import type { Portal, PortalView } from '../env.ts';
import { receiverAside } from '../webhooks/receiver-aside.ts';
import type { Act, ActRequest, ActContent } from './action.ts';

const path = '/webhooks/endpoints/:endpoint_id';
const settings = z.strictObject({
  url: endpointUrl,
  types: endpointTypes.nullable(),
  description: endpointDescription.nullable(),
  enabled: z.boolean(),
});
// A ping goes where it is sent.
const choosable = Object.keys(webhookTypeLabels) as ChoosableWebhookType[];

const endpointFields = (view: Pick<PortalView, 't'>, endpoint?: WebhookEndpoint): Field[] => [
  {
    name: 'url',
    label: { ru: 'Адрес (URL)', en: 'URL' },
    hint: {
      ru: 'Адрес https на вашем сервере, доступный из интернета.',
      en: 'An https address on your server, reachable from the internet.',
    },
    kind: 'text',
    value: endpoint?.url ?? '',
  },
  {
    name: 'description',
    label: common.label,
    hint: {
      ru: 'Для ваших коллег, например «Бухгалтерия».',
      en: 'For your colleagues, such as “Accounting”.',
    },
    kind: 'text',
    optional: true,
    value: endpoint?.description ?? '',
  },
  ...allOrSomeFields(view, {
    name: 'types',
    label: { ru: 'О чём сообщать', en: 'What to report' },
    all: {
      ru: 'Обо всём, включая события новых типов, когда они появятся',
      en: 'Everything, including new types of events later',
    },
    some: { ru: 'Только о выбранном', en: 'Only these' },
    options: webhookTypeLabels,
    withCodes: true,
    ...(endpoint && { chosen: { values: chosenTypes(endpoint) } }),
  }),
];

const chosenTypes = ({ types }: WebhookEndpoint): ChoosableWebhookType[] | undefined =>
  types && choosable.filter((type) => types.includes(type));

/** The texts of the forms. */
function readSettings(values: Values) {
  return {
    url: trimmedValue(values, 'url'),
    types: readAllOrSome(values, 'types', choosable) ?? null,
    description: formValue(values, 'description') ?? null,
    enabled: Boolean(values['enabled']),
  };
}

/** @throws Problem invalid_request */
function validated<Change extends Partial<ReturnType<typeof readSettings>>>(
  change: Change,
  { allowPrivate }: Pick<Portal, 'allowPrivate'>,
): Change {
  validate(settings.partial(), change);
  if (change.url !== undefined) refuseEndpointUrl(change.url, { allowPrivate });
  return change;
}

/** @throws Problem not_found also for another shop's */
async function find({ store }: Portal, { params, session }: ActRequest): Promise<WebhookEndpoint> {
  const shop = await readShop(store, session.shop.shopId);
  const endpoint = endpointIn(shop, readPathId(params['endpoint_id']));
  if (!endpoint) throw new Problem('not_found');
  return endpoint;
}

const prepare = async (portal: Portal, given: ActRequest): Promise<ActContent> => ({
  about: [['URL', (await find(portal, given)).url]],
});

const of = ({ params, session, origin }: Parameters<Act['run']>[1]) => ({
  shopId: session.shop.shopId,
  endpointId: readPathId(params['endpoint_id']),
  origin,
});

export const addEndpointAct: Act = {
  path: '/webhooks/endpoints/new',
  title: { ru: 'Новый адрес для вебхуков', en: 'New webhook endpoint' },
  explain: {
    ru: 'На этот адрес шлюз будет сообщать о новых событиях. Секрет подписи показывается один раз.',
    en: 'The gateway will report new events to it. Its signing secret is shown once.',
  },
  button: { ru: 'Добавить адрес', en: 'Add the endpoint' },
  done: { ru: 'Адрес добавлен.', en: 'The endpoint is added.' },
  prepare: async (_, { view }) => ({ fields: endpointFields(view), aside: receiverAside(view) }),
  run: async (portal, { session: { shop }, values, origin }) => {
    const { url, types, description } = validated(readSettings(values), portal);
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
  title: { ru: 'Изменить адрес для вебхуков', en: 'Edit the webhook endpoint' },
  explain: {
    ru: 'Ожидающие вебхуки уйдут на новый адрес. Типы действуют для следующих событий. Пока адрес выключен, вебхуки ждут.',
    en: 'Pending webhooks go to the new URL. Types apply to later events. While it is off, webhooks wait.',
  },
  button: common.save,
  done: { ru: 'Адрес сохранён.', en: 'The endpoint is saved.' },
  prepare: async (portal, given) => {
    const endpoint = await find(portal, given);
    const enabled: Field = {
      name: 'enabled',
      label: { ru: 'Отправлять', en: 'Send webhooks' },
      kind: 'switch',
      value: endpoint.enabled ? 'on' : '',
    };
    const fields = [...endpointFields(given.view, endpoint), enabled];
    return { fields: [...fields, renderedValues(fields)] };
  },
  run: async (portal, doing) => {
    const change = validated(changesOnly(doing.values, readSettings), portal);
    if (change.enabled && change.url === undefined)
      refuseEndpointUrl((await find(portal, doing)).url, portal);
    await changeWebhookEndpoint(portal.store, { ...of(doing), change });
  },
};

export const rotateEndpointSecret: Act = {
  path: `${path}/rotate`,
  ...actWords.rotateSecret,
  prepare,
  run: async ({ store }, doing) => ({
    secret: { label: secretName, value: await rotateShopSecret(store, of(doing)) },
  }),
};

export const pingEndpoint: Act = {
  path: `${path}/ping`,
  title: { ru: 'Проверить адрес', en: 'Ping the endpoint' },
  explain: {
    ru: 'Отправляет проверочный вебхук типа «ping». Следующая страница покажет, дошёл ли он.',
    en: 'Sends a test webhook of the type “ping”. The next page shows whether it arrives.',
  },
  button: { ru: 'Отправить ping', en: 'Send a ping' },
  done: { ru: 'Ping поставлен в очередь.', en: 'The ping is queued.' },
  prepare,
  run: async (portal, doing) => {
    const { endpointId } = await find(portal, doing);
    const messageId = await sendPing(portal, { ...of(doing), endpointId });
    return { next: `/webhooks/messages/${messageId}` };
  },
};

export const deleteEndpointAct: Act = {
  path: `${path}/delete`,
  title: { ru: 'Удалить адрес для вебхуков', en: 'Delete the webhook endpoint' },
  explain: {
    ru: 'Вебхуки, которые ждут отправки на него, отменяются. Вернуть удалённый адрес нельзя.',
    en: 'Webhooks that wait for it are cancelled and never sent. A deleted endpoint can’t be restored.',
  },
  button: { ru: 'Удалить адрес', en: 'Delete the endpoint' },
  danger: true,
  done: { ru: 'Адрес удалён.', en: 'The endpoint is deleted.' },
  prepare,
  run: async ({ store }, doing) => deleteWebhookEndpoint(store, of(doing)),
};

import { actWords, secretName } from '../../frame/action-texts.ts';
import type { Field } from '../../frame/form-fields.ts';
import { renderedValues, withCurrentValues } from '../../frame/rendered-values.ts';
import { countRedeliverable } from '#shared/application/webhooks/messages/redeliver-by-filter.ts';
import { messageStatuses } from '#shared/application/webhooks/database/tables.ts';
import { deliveryWords } from '../../frame/delivery-filter.ts';
import { html, notice } from '#shared/platform/pages/index.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { toChoices, count } from '../../frame/components.ts';
import { webhookCommandsStream } from '#shared/domain/webhook/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { validateWebhook } from '../../api/webhook/endpoint.ts';
import { redeliveryQuery } from '#shared/application/webhooks/commands.ts';
import { redeliverBody, redeliverRules } from '../../api/webhook/messages.ts';
import { trimmedValue, formValue, type Values } from '#shared/platform/sessions/form.ts';
import { messageStatusNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { ConsoleView } from '../env.ts';
import { localTime } from '#shared/application/pages/zone.ts';
import { typedTime } from '../../frame/typed-time.ts';
import type { Action, Done } from './action.ts';
import { prepareShop, shopStreams } from './shop.ts';

const messagesPath = ({ params }: Done): string => `/shops/${params['shop_id']}/messages`;

export const setWebhook: Action = {
  path: '/shops/:shop_id/webhook/edit',
  route: 'PUT /admin/v1/shops/:shop_id/webhook',
  title: common.webhook,
  explain: {
    ru: 'На новый адрес приходят вебхуки всех типов; выбрать из них мерчант может в кабинете. Секрет подписи показывается один раз, когда адрес задаётся впервые. Пока вебхук выключен, доставки ждут в очереди.',
    en: 'A new endpoint gets webhooks of every type; the merchant can choose among them in the portal. The signing secret is shown once, when the URL is first set. While the webhook is off, deliveries wait in the queue.',
  },
  button: { ru: 'Сохранить вебхук', en: 'Save the webhook' },
  done: { ru: 'Вебхук сохранён.', en: 'The webhook is saved.' },
  prepare: (console, about) =>
    prepareShop(console, about, ({ endpoints: [first] }) => {
      const fields: Field[] = [
        {
          name: 'url',
          label: { ru: 'Адрес (URL)', en: 'Address (URL)' },
          kind: 'text',
          value: first?.url ?? '',
        },
        {
          name: 'enabled',
          label: { ru: 'Отправлять', en: 'Send webhooks' },
          kind: 'switch',
          value: (first?.enabled ?? true) ? 'on' : '',
        },
      ];
      // The first one is confirmed with all its settings.
      return { fields: first ? [...fields, renderedValues(fields)] : fields };
    }),
  resolve: (_, values, { fields = [] }) => withCurrentValues(values, fields),
  body: (values) => ({
    url: trimmedValue(values, 'url'),
    enabled: formValue(values, 'enabled') !== undefined,
  }),
  check: (console, body) => void validateWebhook(body, console),
  streams: shopStreams,
  secret: ({ answer }) => {
    const { secret } = answer as { secret?: string };
    return secret === undefined ? undefined : { label: secretName, value: secret };
  },
};

/** @throws Problem not_found */
const prepareWebhook: Action['prepare'] = (console, about) =>
  prepareShop(console, about, ({ endpoints: [first] }) => {
    if (!first) throw new Problem('not_found', { detail: 'the shop has no webhook yet' });
    return { about: [['URL', first.url]] };
  });

export const rotateSecretAction: Action = {
  path: '/shops/:shop_id/webhook/rotate',
  route: 'POST /admin/v1/shops/:shop_id/webhook/rotate-secret',
  ...actWords.rotateSecret,
  prepare: prepareWebhook,
  streams: shopStreams,
  secret: ({ answer }) => ({ label: secretName, value: (answer as { secret: string }).secret }),
};

export const pingWebhook: Action = {
  path: '/shops/:shop_id/webhook/ping',
  route: 'POST /admin/v1/shops/:shop_id/webhook/ping',
  title: { ru: 'Проверить вебхук', en: 'Ping the webhook' },
  explain: {
    ru: 'Ставит в очередь вебхук «ping»; его попытки видны среди доставок магазина.',
    en: 'Queues a webhook of type “ping”; see its attempts among the shop’s deliveries.',
  },
  button: { ru: 'Отправить ping', en: 'Send a ping' },
  done: { ru: 'Ping поставлен в очередь.', en: 'The ping is queued.' },
  prepare: prepareWebhook,
  streams: () => [webhookCommandsStream],
  next: messagesPath,
};

export const redeliverOne: Action = {
  path: '/shops/:shop_id/messages/:message_id/redeliver',
  route: 'POST /admin/v1/webhook-messages/:message_id/redeliver',
  ...actWords.resendWebhook,
  prepare: (console, about) =>
    prepareShop(console, about, () => ({
      about: [[about.view.t(common.webhook), about.params['message_id'] ?? '']],
      back: `/shops/${about.params['shop_id']}/messages`,
    })),
  streams: () => [webhookCommandsStream],
  next: messagesPath,
};

function readMessageFilter(values: Values, view: Pick<ConsoleView, 'zone'>) {
  const moment = (text: string | undefined) => text && typedTime(text, view);
  const filter = {
    status: formValue(values, 'status'),
    from: moment(formValue(values, 'from')),
    to: moment(formValue(values, 'to')),
    operation_id: formValue(values, 'operation_id'),
    endpoint_id: formValue(values, 'endpoint_id'),
    type: formValue(values, 'type'),
    cursor: formValue(values, 'cursor'),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

const anyChoice = ({ t }: ConsoleView) => ({ value: '', text: t(common.any) });

const noneMatches = 'no webhook matches the filter';
type RedeliverAnswer = { count: number; next_cursor: string | null };

export const redeliverManyAction: Action = {
  path: '/shops/:shop_id/messages/redeliver',
  route: 'POST /admin/v1/shops/:shop_id/webhook-messages/redeliver',
  title: { ru: 'Отправить вебхуки снова', en: 'Resend webhooks' },
  explain: {
    ru: 'Снова отправляются все вебхуки, которые подходят под фильтр: не больше 2000 за раз, сначала старые.',
    en: 'Resends every webhook that matches the filter: at most 2,000 at a time, oldest first.',
  },
  button: common.resend,
  done: { ru: 'Вебхуки отправляются снова.', en: 'The webhooks are being resent.' },
  prepare: (console, about) =>
    prepareShop(console, about, ({ endpoints }) => ({
      fields: [
        {
          name: 'type',
          label: deliveryWords.type,
          kind: 'choice',
          choices: [anyChoice(about.view), ...toChoices(webhookTypes)],
          optional: true,
        },
        {
          name: 'status',
          label: common.status,
          kind: 'choice',
          value: 'exhausted',
          choices: toChoices(messageStatuses, (value) => about.view.t(messageStatusNames[value])),
        },
        {
          name: 'from',
          label: { ru: 'Созданы с', en: 'Created from' },
          kind: 'time',
          optional: true,
        },
        {
          name: 'to',
          label: { ru: 'Созданы до', en: 'Created before' },
          kind: 'time',
          optional: true,
        },
        {
          name: 'endpoint_id',
          label: common.endpoint,
          kind: 'choice',
          choices: [
            anyChoice(about.view),
            ...endpoints.map(({ endpointId, url }) => ({ value: endpointId, text: url })),
          ],
          optional: true,
        },
        { name: 'operation_id', label: deliveryWords.operation, kind: 'text', optional: true },
        {
          name: 'cursor',
          label: { ru: 'Продолжить с', en: 'Continue from' },
          hint: {
            ru: 'Заполняется само, когда вебхуков больше 2000.',
            en: 'Filled in automatically when there are more than 2,000.',
          },
          kind: 'text',
          optional: true,
        },
      ],
      back: `/shops/${about.params['shop_id']}/messages`,
    })),
  body: readMessageFilter,
  check: (_, body) => void validate(redeliverBody, body, redeliverRules),
  outcome: async ({ db }, { params, view, body }) => {
    const checked = validate(redeliverBody, body, redeliverRules);
    const query = redeliveryQuery({ shop_id: params['shop_id'] ?? '', ...checked });
    const { count: matching, more } = await fromDatabase(countRedeliverable(db, query));
    if (matching === 0) throw new Problem('invalid_request', { detail: noneMatches });
    const { t } = view;
    const countText = more
      ? `${count(view, matching)} (${t(deliveryWords.more)})`
      : count(view, matching);
    return [[t(deliveryWords.matching), countText]];
  },
  explainFault: ({ t }, { detail }) =>
    detail === noneMatches
      ? notice('info', html`<p>${t(deliveryWords.noneMatches)}</p>`, { urgent: true })
      : undefined,
  streams: () => [webhookCommandsStream],
  describeDone: ({ answer }) => {
    const { count: sent, next_cursor: more } = answer as RedeliverAnswer;
    return {
      ru: `Отправляется снова вебхуков: ${sent}.${more === null ? '' : ' Есть ещё: продолжите ниже.'}`,
      en: `Webhooks being resent: ${sent}.${more === null ? '' : ' There are more: continue below.'}`,
    };
  },
  next: (done, { zone }) => {
    const { next_cursor: cursor } = done.answer as RedeliverAnswer;
    if (cursor === null) return messagesPath(done);
    const { from, to, ...rest } = done.body as Record<string, string>;
    const local = (time: string | undefined) =>
      time === undefined ? '' : localTime(new Date(time), zone);
    const filter = new URLSearchParams({ ...rest, from: local(from), to: local(to), cursor });
    return `${messagesPath(done)}/redeliver?${filter.toString()}`;
  },
};

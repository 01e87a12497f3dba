import { messageStatuses } from '#services/webhooks/queries.ts';
import { webhookCommandsStream } from '#shared/domain/webhook/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { validateWebhook } from '../../api/webhook/endpoint.ts';
import { redeliverBody, redeliverRules } from '../../api/webhook/messages.ts';
import type { Values } from '../form.ts';
import { messageStatusNames } from '../names.ts';
import { common } from '../words.ts';
import type { Action, Done } from './action.ts';
import { given, prepareShop, shopStreams } from './shop.ts';

const messagesOf = ({ params }: Done): string => `/shops/${params['shop_id']}/messages`;

export const setWebhook: Action = {
  path: '/shops/:shop_id/webhook/edit',
  route: 'PUT /admin/v1/shops/:shop_id/webhook',
  section: 'shops',
  title: { ru: 'Вебхук', en: 'Webhook' },
  explain: {
    ru: 'Секрет подписи показывается один раз, когда адрес задаётся впервые. Выключенный вебхук копит сообщения.',
    en: 'The signing secret is shown once, when the endpoint is first set. While it is off, messages wait.',
  },
  button: { ru: 'Сохранить вебхук', en: 'Save the webhook' },
  done: { ru: 'Вебхук сохранён.', en: 'The webhook is saved.' },
  prepare: (console, about) =>
    prepareShop(console, about, ({ webhook }) => ({
      fields: [
        {
          name: 'url',
          label: { ru: 'Адрес (URL)', en: 'Address (URL)' },
          kind: 'text',
          value: webhook?.url ?? '',
        },
        {
          name: 'enabled',
          label: { ru: 'Отправлять', en: 'Send webhooks' },
          kind: 'switch',
          value: (webhook?.enabled ?? true) ? 'on' : '',
        },
      ],
    })),
  body: (values) => ({
    url: given(values, 'url') ?? '',
    enabled: given(values, 'enabled') !== undefined,
  }),
  check: (console, body) => void validateWebhook(body, console),
  streams: shopStreams,
  secret: ({ answer }) => {
    const { secret } = answer as { secret?: string };
    return secret === undefined ? undefined : { label: secretName, value: secret };
  },
};

const secretName = { ru: 'Секрет подписи', en: 'Signing secret' };

export const rotateSecret: Action = {
  path: '/shops/:shop_id/webhook/rotate',
  route: 'POST /admin/v1/shops/:shop_id/webhook/rotate-secret',
  section: 'shops',
  title: { ru: 'Сменить секрет подписи', en: 'Rotate the signing secret' },
  explain: {
    ru: 'Прежний секрет подписывает ещё 24 часа рядом с новым. Новый показывается один раз.',
    en: 'The secret before it signs beside the new one for 24 hours. The new one is shown once.',
  },
  button: { ru: 'Сменить секрет', en: 'Rotate the secret' },
  done: { ru: 'Секрет сменён.', en: 'The secret is rotated.' },
  prepare: (console, about) =>
    prepareShop(console, about, ({ webhook }) => {
      if (!webhook) throw new Problem('not_found', { detail: 'the shop has no webhook yet' });
      return { about: [['URL', webhook.url]] };
    }),
  streams: shopStreams,
  secret: ({ answer }) => ({ label: secretName, value: (answer as { secret: string }).secret }),
};

export const pingWebhook: Action = {
  path: '/shops/:shop_id/webhook/ping',
  route: 'POST /admin/v1/shops/:shop_id/webhook/ping',
  section: 'shops',
  title: { ru: 'Проверить вебхук', en: 'Ping the webhook' },
  explain: {
    ru: 'Ставит в очередь сообщение «ping»; его попытки видны среди сообщений магазина.',
    en: 'Queues a message of type “ping”; its attempts show among the shop’s messages.',
  },
  button: { ru: 'Отправить ping', en: 'Send a ping' },
  done: { ru: 'Ping поставлен в очередь.', en: 'The ping is queued.' },
  prepare: (console, about) =>
    prepareShop(console, about, ({ webhook }) => {
      if (!webhook) throw new Problem('not_found', { detail: 'the shop has no webhook yet' });
      return { about: [['URL', webhook.url]] };
    }),
  streams: () => [webhookCommandsStream],
  next: messagesOf,
};

export const redeliverOne: Action = {
  path: '/shops/:shop_id/messages/:message_id/redeliver',
  route: 'POST /admin/v1/webhook-messages/:message_id/redeliver',
  section: 'webhooks',
  title: { ru: 'Отправить сообщение снова', en: 'Send the message again' },
  explain: {
    ru: 'Сообщение отправляется снова, с начала расписания, с теми же байтами и тем же webhook-id.',
    en: 'It is sent again from the beginning of the schedule, the same bytes under the same webhook-id.',
  },
  button: { ru: 'Отправить снова', en: 'Send it again' },
  done: { ru: 'Сообщение отправляется снова.', en: 'The message is being sent again.' },
  prepare: (console, about) =>
    prepareShop(console, about, () => ({
      about: [[about.view.t({ ru: 'Сообщение', en: 'Message' }), about.params['message_id'] ?? '']],
      back: `/shops/${about.params['shop_id']}/messages`,
    })),
  streams: () => [webhookCommandsStream],
  next: messagesOf,
};

/** A moment as `datetime-local` has it, which knows no zone: the label says that it is UTC. */
const utc = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const whole = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00` : text;
  return /Z$|[+-]\d\d:\d\d$/.test(whole) ? whole : `${whole}Z`;
};

function filterOf(values: Values) {
  const filter = {
    status: given(values, 'status'),
    from: utc(given(values, 'from')),
    to: utc(given(values, 'to')),
    operation_id: given(values, 'operation_id'),
    cursor: given(values, 'cursor'),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

export const redeliverMany: Action = {
  path: '/shops/:shop_id/messages/redeliver',
  route: 'POST /admin/v1/shops/:shop_id/webhook-messages/redeliver',
  section: 'webhooks',
  title: { ru: 'Отправить сообщения снова', en: 'Send messages again' },
  explain: {
    ru: 'Снова отправляются все сообщения, которые подходят под фильтр: не больше 2000 за раз, старые первыми.',
    en: 'All messages that the filter names are sent again: at most 2,000 at a time, the oldest first.',
  },
  button: { ru: 'Отправить снова', en: 'Send them again' },
  done: { ru: 'Сообщения отправляются снова.', en: 'The messages are being sent again.' },
  prepare: (console, about) =>
    prepareShop(console, about, () => ({
      fields: [
        {
          name: 'status',
          label: common.status,
          kind: 'choice',
          value: 'exhausted',
          choices: messageStatuses.map((value) => ({ value, text: about.view.t(messageStatusNames[value]) })),
        },
        {
          name: 'from',
          label: { ru: 'Записаны с (UTC)', en: 'Recorded from (UTC)' },
          kind: 'time',
          optional: true,
        },
        {
          name: 'to',
          label: { ru: 'Записаны до (UTC)', en: 'Recorded before (UTC)' },
          kind: 'time',
          optional: true,
        },
        {
          name: 'operation_id',
          label: { ru: 'Операция (id)', en: 'Operation (id)' },
          kind: 'text',
          optional: true,
        },
        {
          name: 'cursor',
          label: { ru: 'Продолжить с', en: 'Go on from' },
          hint: {
            ru: 'Заполняется само, когда сообщений больше 2000.',
            en: 'Filled in by itself where there are more than 2,000.',
          },
          kind: 'text',
          optional: true,
        },
      ],
      back: `/shops/${about.params['shop_id']}/messages`,
    })),
  body: filterOf,
  check: (_, body) => void validate(redeliverBody, body, redeliverRules),
  streams: () => [webhookCommandsStream],
  say: ({ answer }) => {
    const { count, next_cursor: more } = answer as { count: number; next_cursor: string | null };
    return {
      ru: `Отправляется снова сообщений: ${count}.${more === null ? '' : ' Есть ещё: продолжите ниже.'}`,
      en: `Messages being sent again: ${count}.${more === null ? '' : ' There are more: go on below.'}`,
    };
  },
  next: (done) => {
    const { next_cursor: cursor } = done.answer as { next_cursor: string | null };
    if (cursor === null) return messagesOf(done);
    const { from, to, ...rest } = done.body as Record<string, string>;
    const local = (time: string | undefined) => time?.replace(/Z$/, '') ?? '';
    const filter = new URLSearchParams({ ...rest, from: local(from), to: local(to), cursor });
    return `${messagesOf(done)}/redeliver?${filter.toString()}`;
  },
};

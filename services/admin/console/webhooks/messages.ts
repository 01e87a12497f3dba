import type { Hono } from 'hono';
import { z } from 'zod';
import {
  listMessages,
  messageStatuses,
  type AttemptView,
  type MessageView,
} from '#services/webhooks/queries.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '../../database.ts';
import { invalidCursor } from '../../api/query.ts';
import { pathId, readShop } from '../../api/setup/change.ts';
import {
  action,
  at,
  heading,
  input,
  pager,
  select,
  shortId,
  table,
  timesIn,
} from '../components.ts';
import { viewOf, type Console, type ConsoleEnv, type View } from '../env.ts';
import { exportButton } from '../export-button.ts';
import { show } from '../frame.ts';
import { answerPoll, isPoll, isSame, liveList, tagOf } from '../live.ts';
import { messageBadge, messageStatusNames } from '../names.ts';
import { common, type Words } from '../words.ts';

const texts = {
  title: { ru: 'Доставки вебхуков', en: 'Webhook deliveries' },
  webhooks: { ru: 'Вебхуки', en: 'Webhooks' },
  type: { ru: 'Вебхук', en: 'Webhook' },
  endpoint: { ru: 'Адрес', en: 'Endpoint' },
  next: { ru: 'Следующая попытка', en: 'Next attempt' },
  attempts: { ru: 'Попытки', en: 'Attempts' },
  again: { ru: 'Отправить снова', en: 'Resend' },
  againMany: { ru: 'Отправить снова по фильтру', en: 'Resend by filter' },
  sequence: { ru: 'номер', en: 'sequence' },
  noAttempts: { ru: 'ещё не было', en: 'none yet' },
  empty: {
    ru: 'Доставок нет. Они появляются с событиями операций; проверить адрес можно вебхуком ping.',
    en: 'There are no deliveries yet. Events of operations create them; a ping tests the endpoint.',
  },
} as const satisfies Record<string, Words>;

const pageSize = 50;

export function registerMessagesPage(app: Hono<ConsoleEnv>, console: Console): void {
  app.get('/shops/:shop_id/messages', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const shop = await readShop(console.store, pathId(c.req.param('shop_id')));
    const { shopId, settings, endpoints } = shop;
    const { status: wanted, endpoint, operation_id: operation = '', cursor } = c.req.query();
    const endpointId = endpoints.find((each) => each.endpointId === endpoint)?.endpointId;
    const status = messageStatuses.find((each) => each === wanted);
    const operationId = z.guid().safeParse(operation.trim()).success
      ? operation.trim().toLowerCase()
      : undefined;
    const page = await fromDatabase(
      listMessages(console.db, {
        shopId,
        operationId,
        endpointId,
        status,
        cursor,
        limit: pageSize,
      }),
    );
    if ('refusal' in page) throw invalidCursor();
    const tag = tagOf(page.messages);
    if (isPoll(c) && isSame(c, tag)) return c.body(null, 204);
    const list = messagesTable(view, { shopId, messages: page.messages });
    if (isPoll(c)) return answerPoll(c, tag, list);
    const filter = new URLSearchParams({
      status: status ?? 'exhausted',
      operation_id: operationId ?? '',
    });
    const many = action(view, {
      route: 'POST /admin/v1/shops/:shop_id/webhook-messages/redeliver',
      href: `/shops/${shopId}/messages/redeliver?${filter.toString()}`,
      text: texts.againMany,
    });
    const asFile = exportButton(view, 'webhook-deliveries', {
      shop: shopId,
      status,
      operation_id: operationId,
    });
    const choices = messageStatuses.map((value) => ({ value, text: t(messageStatusNames[value]) }));
    return show(c, console, {
      title: t(texts.title),
      section: 'webhooks',
      trail: [
        { href: '/webhooks', text: t(texts.webhooks) },
        { href: `/shops/${shopId}`, text: settings.name },
      ],
      body: html`${heading(html`${t(texts.title)}: ${settings.name}`, html`${asFile}${many}`, timesIn(view))}
        <form class="filters" method="get" action="/shops/${shopId}/messages">
          ${select({ name: 'status', label: t(common.status), value: status, choices: [{ value: '', text: t(common.any) }, ...choices] })}
          ${endpoints.length > 1 ? select({ name: 'endpoint', label: t(texts.endpoint), value: endpointId, choices: [{ value: '', text: t(common.any) }, ...endpoints.map((each) => ({ value: each.endpointId, text: each.url }))] }) : ''}
          ${input({ name: 'operation_id', label: t({ ru: 'Операция (id)', en: 'Operation (id)' }), value: operation })}
          <div class="row"><button class="button" type="submit">${t(common.show)}</button></div>
        </form>
        ${cursor ? list : liveList(view, tag, list)}${pager(view, page.next_cursor)}`,
    });
  });
}

/** Messages with every attempt of each. */
export function messagesTable(
  view: View,
  { shopId, messages, empty }: { shopId: string; messages: readonly MessageView[]; empty?: string },
): Html {
  const { t } = view;
  return table({
    caption: t(texts.title),
    columns: [
      { name: t(texts.type) },
      { name: t(common.status) },
      { name: t(common.operationId) },
      { name: t(common.created) },
      { name: t(texts.attempts) },
      { name: t(texts.next) },
      { name: t(common.actions) },
    ],
    keys: messages.map((message) => message.delivery_id),
    rows: messages.map((message) => [
      html`<strong>${message.type}</strong><br /><span class="muted"
          >${t(texts.sequence)} ${message.sequence} ·
          ${shortId(message.message_id)}${message.endpoint_id === shopId ? '' : html`<br />${t(texts.endpoint)} ${shortId(message.endpoint_id)}`}</span
        >`,
      messageBadge(view, message.status),
      message.operation_id === null
        ? '—'
        : shortId(message.operation_id, `/operations/${message.operation_id}`),
      at(view, message.created_at),
      attemptsOf(view, message.attempts),
      at(view, message.next_attempt_at),
      action(view, {
        route: 'POST /admin/v1/webhook-messages/:message_id/redeliver',
        href: `/shops/${shopId}/messages/${message.delivery_id}/redeliver`,
        text: texts.again,
      }),
    ]),
    empty: empty ?? t(texts.empty),
  });
}

/** The last attempt at once, the others when they are asked for. */
function attemptsOf(view: View, attempts: readonly AttemptView[]): Html | string {
  const { t } = view;
  const last = attempts.at(-1);
  if (!last) return html`<span class="muted">${t(texts.noAttempts)}</span>`;
  const line = ({ status, duration_ms: ms, error }: AttemptView) =>
    html`<strong>${status ?? '—'}</strong>
      ${error === null ? '' : html`<span lang="en">${error}</span> `}<span class="muted nowrap"
        >${ms} ms</span
      >`;
  return html`<details>
    <summary>${attempts.length} · ${line(last)}</summary>
    <ol class="attempts">
      ${attempts.map(
        (attempt) =>
          html`<li>
            ${at(view, attempt.time)}
            ${line(attempt)}${attempt.answer ? html`<pre tabindex="0">${attempt.answer}</pre>` : ''}
          </li>`,
      )}
    </ol>
  </details>`;
}

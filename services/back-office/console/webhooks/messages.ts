import {
  listMessages,
  type AttemptView,
  type MessageView,
} from '#shared/application/webhooks/messages/list.ts';
import { hasMatching } from '#shared/application/webhooks/messages/redeliver-by-filter.ts';
import {
  deliveryFields,
  deliveryWords,
  isNarrowed,
  readDeliveryFilter,
  resentFilter,
  toMessageFilter,
  type DeliveryFilter,
} from '../../frame/delivery-filter.ts';
import { localTime } from '#shared/application/pages/zone.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { invalidCursor } from '../../api/query.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import {
  at,
  filterForm,
  heading,
  pager,
  pageSize,
  shortId,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { redeliverManyAction, redeliverOne } from '../actions/webhooks.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import type { PageContent } from '../../frame/pages.ts';
import { answerPoll, isPoll, isSame, liveList, hashRows } from '../live.ts';
import { attemptErrorText, messageBadge } from '../../frame/names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  next: { ru: 'Следующая попытка', en: 'Next attempt' },
  attempts: { ru: 'Попытки', en: 'Attempts' },
  sequence: { ru: 'номер', en: 'sequence' },
  noAttempts: { ru: 'ещё не было', en: 'none yet' },
  empty: {
    ru: 'Доставок нет. Они появляются с событиями операций; проверить адрес можно вебхуком ping.',
    en: 'There are no deliveries yet. Events of operations create them; a ping tests the endpoint.',
  },
} as const satisfies Record<string, Words>;

export async function messagesPage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent | Response> {
  const view = consoleView(c);
  const { t } = view;
  const shop = await readShop(console.store, readPathId(c.req.param('shop_id')));
  const { shopId, settings, endpoints } = shop;
  const deliveryFilter = readDeliveryFilter(c.req.query());
  const cursor = c.req.query('cursor');
  const query = {
    shopId,
    ...toMessageFilter(deliveryFilter, view.zone),
    cursor,
    limit: pageSize,
  };
  const page = await fromDatabase(listMessages(console.db, query));
  if ('refusal' in page) throw invalidCursor();
  const tag = hashRows(page.messages);
  if (isPoll(c) && isSame(c, tag)) return c.body(null, 204);
  const list = renderMessages(view, {
    shopId,
    messages: page.messages,
    ...(isNarrowed(deliveryFilter) && { empty: t(deliveryWords.noneMatches) }),
  });
  if (isPoll(c)) return answerPoll(c, tag, list);
  const toResend = await fromDatabase(hasMatching(console.db, resentFilter(query)));
  const fields = deliveryFields(view, deliveryFilter, {
    endpoints,
    reset: `/shops/${shopId}/messages`,
  });
  const asFile = exportButton(view, 'webhook-deliveries', { shop: shopId, ...deliveryFilter });
  return {
    title: t(common.deliveries),
    trail: [{ href: `/shops/${shopId}`, text: settings.name }],
    body: html`${heading(html`${t(common.deliveries)}: ${settings.name}`, html`${asFile}${toResend && resendLink(view, shopId, deliveryFilter)}`, timesIn(view))}
    ${filterForm(view, { action: `/shops/${shopId}/messages`, filter: deliveryFilter, fields })}
    ${cursor ? list : liveList(view, tag, list)}${pager(view, page.next_cursor)}`,
  };
}

function resendLink(
  view: ConsoleView,
  shopId: string,
  deliveryFilter: DeliveryFilter,
): Html | string {
  const { type = '', status, endpoint = '', operation_id = '' } = resentFilter(deliveryFilter);
  const { from, to } = toMessageFilter(deliveryFilter, view.zone);
  const local = (time: Date | undefined) => (time ? localTime(time, view.zone) : '');
  const values = { type, status, endpoint_id: endpoint, operation_id };
  const { resendShown, resendExhausted } = deliveryWords;
  return action(view, redeliverManyAction, {
    params: { shop_id: shopId },
    query: { ...values, from: local(from), to: local(to) },
    text: deliveryFilter.status === undefined ? resendExhausted : resendShown,
  });
}

/** Messages with every attempt of each. */
export function renderMessages(
  view: ConsoleView,
  { shopId, messages, empty }: { shopId: string; messages: readonly MessageView[]; empty?: string },
): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(common.deliveries),
    columns: [
      common.webhook,
      common.status,
      common.operationId,
      common.created,
      texts.attempts,
      texts.next,
      common.actions,
    ],
    keys: messages.map((message) => message.delivery_id),
    rows: messages.map((message) => [
      html`<strong>${message.type}</strong><br /><span class="muted"
          >${t(texts.sequence)} ${message.sequence} ·
          ${shortId(message.message_id)}${message.endpoint_id !== shopId && html`<br />${t(common.endpoint)} ${shortId(message.endpoint_id)}`}</span
        >`,
      messageBadge(view, message.status),
      message.operation_id === null
        ? '—'
        : shortId(message.operation_id, `/operations/${message.operation_id}`),
      at(view, message.created_at),
      renderAttempts(view, message.attempts),
      at(view, message.next_attempt_at),
      action(view, redeliverOne, {
        params: { shop_id: shopId, message_id: message.delivery_id },
        text: common.resend,
      }),
    ]),
    empty: empty ?? t(texts.empty),
  });
}

/** The last attempt immediately, the others on request. */
function renderAttempts(view: ConsoleView, attempts: readonly AttemptView[]): Html | string {
  const { t } = view;
  const last = attempts.at(-1);
  if (!last) return html`<span class="muted">${t(texts.noAttempts)}</span>`;
  const line = ({ status, duration_ms: ms, error }: AttemptView) =>
    html`${status !== null && html`<strong>${status}</strong>`}
      ${error !== null && html`${attemptErrorText(view, error)} `}<span class="muted nowrap"
        >${ms} ms</span
      >`;
  return html`<details>
    <summary>${attempts.length} · ${line(last)}</summary>
    <ol class="attempts">
      ${attempts.map(
        (attempt) =>
          html`<li>
            ${at(view, attempt.time)}
            ${line(attempt)}${attempt.answer && html`<pre tabindex="0">${attempt.answer}</pre>`}
          </li>`,
      )}
    </ol>
  </details>`;
}

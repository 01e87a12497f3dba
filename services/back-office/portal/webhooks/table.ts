import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import type { MessageView } from '#shared/application/webhooks/messages/list.ts';
import { at, shortId, renderTable } from '../../frame/components.ts';
import { attemptErrorText, messageBadge } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { PortalView } from '../env.ts';
import { webhookTexts as texts } from './texts.ts';

type DeliveryList = {
  messages: readonly MessageView[];
  endpoints: readonly WebhookEndpoint[];
  empty: string;
};

/** Webhooks with the outcome of the last attempt; a webhook's page has all attempts. */
export function renderDeliveries(
  view: PortalView,
  { messages, endpoints, empty }: DeliveryList,
): Html {
  const { t } = view;
  // With only one endpoint, its messages need no name.
  const several = messages.some((message) => message.endpoint_id !== endpoints[0]?.endpointId);
  const findEndpointUrl = ({ endpoint_id: id }: MessageView) =>
    endpoints.find(({ endpointId }) => endpointId === id)?.url ?? shortId(id);
  return renderTable(view, {
    caption: t(texts.deliveries),
    columns: [
      common.webhook,
      common.status,
      common.operationId,
      common.created,
      texts.attemptsAndAnswer,
      texts.next,
    ],
    rows: messages.map((message) => [
      html`<a href="/webhooks/messages/${message.delivery_id}"><strong>${message.type}</strong></a
        ><br /><span class="muted"
          >${t(texts.sequence)} ${message.sequence} ·
          ${shortId(message.message_id)}${several && html`<br />${findEndpointUrl(message)}`}</span
        >`,
      messageBadge(view, message.status),
      message.operation_id === null
        ? '—'
        : shortId(message.operation_id, `/operations/${message.operation_id}`),
      at(view, message.created_at),
      lastAttempt(view, message),
      at(view, message.next_attempt_at),
    ]),
    empty,
  });
}

function lastAttempt(view: PortalView, { attempts }: MessageView): Html {
  const { t } = view;
  const last = attempts.at(-1);
  if (!last) return html`<span class="muted">${t(texts.noAttempts)}</span>`;
  return html`${attempts.length} · ${last.status !== null && html`<strong>${last.status}</strong>`}
  ${last.error !== null && attemptErrorText(view, last.error)}`;
}

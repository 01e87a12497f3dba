import { at, count, duration, pairs } from '../../frame/components.ts';
import { disabledReasonWords, messageStatusNames } from '../../frame/names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import type { EndpointFigures } from '#shared/application/webhooks/messages/figures.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import type { PortalView } from '../env.ts';
import { webhookTexts as texts } from './texts.ts';

const deliveryStates = ['delivered', 'pending', 'retrying', 'exhausted', 'cancelled'] as const;
const deliveryStateNames = { ...messageStatusNames, retrying: texts.retrying };

type EndpointView = {
  endpoint: WebhookEndpoint;
  figures: EndpointFigures | undefined;
  nowMs: number;
};

/** One endpoint: its URL, its types, its deliveries, and an admin's actions. */
export function endpointCard(view: PortalView, { endpoint, figures, nowMs }: EndpointView): Html {
  const { t, mayAct } = view;
  const { endpointId, url, types, description, previous } = endpoint;
  const counts = deliveryStates.flatMap((state) =>
    figures?.[state] ? `${t(deliveryStateNames[state])}: ${count(view, figures[state])}` : [],
  );
  const times = [figures?.median_ms, figures?.p95_ms].flatMap((ms) =>
    typeof ms === 'number' ? duration(view, ms / 1_000) : [],
  );
  const about = pairs(
    [
      ['URL', html`<code>${url}</code>`],
      [t(common.label), description],
      [t(common.status), renderStatus(view, endpoint, figures)],
      [t(texts.types), types === undefined ? t(texts.allTypes) : types.join(', ')],
      [t(texts.lastDay), counts.length === 0 ? '—' : counts.join(' · ')],
      [t(texts.responseTime), times.length === 0 ? '—' : times.join(' / ')],
      ...previous
        .filter(({ validUntil }) => Date.parse(validUntil) > nowMs)
        .map(({ validUntil }) => [t(texts.previous), at(view, validUntil)] as const),
    ],
    'pairs across',
  );
  const to = (path: string, text: Words, kind = '') =>
    html`<a class="button small ${kind}" href="/webhooks/endpoints/${endpointId}/${path}"
      >${t(text)}</a
    >`;
  const actions = mayAct
    ? html`<div class="row">
        ${to('edit', texts.edit)}${to('rotate', texts.rotate)}${to('ping', texts.ping)}${to('delete', texts.remove, 'danger')}
      </div>`
    : '';
  return html`<div class="card stack">${about}${actions}</div>`;
}

/** On, but in amber, while it gets nothing: by the shop's stream, or by what the last day shows. */
function renderStatus(
  view: PortalView,
  { enabled, disabledReason, failingSince }: WebhookEndpoint,
  figures: EndpointFigures | undefined,
): Html {
  const { t } = view;
  if (!enabled)
    return html`${badge('warning', t(common.off))}
      <span class="muted">${disabledReason && disabledReasonWords(view, disabledReason)}</span>`;
  if (failingSince !== undefined)
    return html`${badge('warning', t(common.on))} ${t(texts.failing)} ${at(view, failingSince)}`;
  if (figures && figures.delivered === 0 && figures.retrying + figures.exhausted > 0)
    return html`${badge('warning', t(common.on))} ${t(texts.noneDelivered)}`;
  return badge('success', t(common.on));
}

import { at, count, duration, pairs } from '../../frame/components.ts';
import { messageStatusNames } from '../../frame/names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import { messageStatuses } from '#shared/application/webhooks/database/tables.ts';
import type { EndpointFigures } from '#shared/application/webhooks/messages/figures.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import type { View } from '../env.ts';
import { webhookTexts as texts } from './texts.ts';

type Shown = { endpoint: WebhookEndpoint; figures: EndpointFigures | undefined; nowMs: number };

/** One endpoint: its URL, its types, its deliveries, and an admin's actions. */
export function endpointCard(view: View, { endpoint, figures, nowMs }: Shown): Html {
  const { t, mayAct } = view;
  const { endpointId, url, types, description, previous } = endpoint;
  const names = { ...messageStatusNames, retrying: texts.retrying };
  const counts = ([...messageStatuses, 'retrying'] as const).flatMap((name) =>
    figures?.[name] ? `${t(names[name])}: ${count(view, figures[name])}` : [],
  );
  const times = [figures?.median_ms, figures?.p95_ms].flatMap((ms) =>
    typeof ms === 'number' ? duration(view, ms / 1_000) : [],
  );
  const about = pairs(
    [
      ['URL', html`<code>${url}</code>`],
      [t(common.label), description],
      [t(common.status), statusOf(view, endpoint)],
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

function statusOf(view: View, endpoint: WebhookEndpoint): Html {
  const { t } = view;
  const { enabled, disabledReason, failingSince } = endpoint;
  if (!enabled)
    return html`${badge('warning', t(common.off))}
      <span class="muted">${disabledReason ?? ''}</span>`;
  if (failingSince === undefined) return badge('success', t(common.on));
  return html`${badge('danger', t(common.on))} ${t(texts.failing)} ${at(view, failingSince)}`;
}

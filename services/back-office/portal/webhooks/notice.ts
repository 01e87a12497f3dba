import { common } from '#shared/application/pages/translations.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { at } from '../../frame/components.ts';
import type { PortalView } from '../env.ts';
import { webhookTexts as texts } from './texts.ts';

/**
 * The notice on every page about endpoints that get no webhooks, though no member of the shop has
 * disabled them.
 */
export function endpointNotice(view: PortalView): Html | string {
  const { t, session } = view;
  const endpoints = session?.shop.endpoints ?? [];
  const lines = endpoints.flatMap(({ url, enabled, disabledReason, failingSince }) => {
    if (!enabled && disabledReason !== 'merchant')
      return html`<code>${url}</code>: ${t(common.off)}`;
    return failingSince === undefined
      ? []
      : html`<code>${url}</code>: ${t(texts.failing)} ${at(view, failingSince)}`;
  });
  if (lines.length === 0) return '';
  return notice(
    'warning',
    html`<p><strong>${t(texts.trouble)}</strong> <a href="/webhooks">${t(common.webhooks)}</a></p>
      <ul>
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>`,
  );
}

import { common } from '#shared/application/pages/translations.ts';
import { endpointFigures } from '#shared/application/webhooks/messages/figures.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { hasMatching } from '#shared/application/webhooks/messages/redeliver-by-filter.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { filterForm, heading, pager, pageSize, section, timesIn } from '../../frame/components.ts';
import {
  deliveryFields,
  deliveryQuery,
  deliveryWords,
  isNarrowed,
  readDeliveryFilter,
  resentFilter,
  toMessageFilter,
  type DeliveryFilter,
} from '../../frame/delivery-filter.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { invalidCursor } from '#shared/platform/http/cursor.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import {
  sessionShopId,
  portalView,
  type Portal,
  type PortalView,
  type PortalContext,
} from '../env.ts';
import { exportLink } from '../../frame/export-link.ts';
import type { PageContent } from '../../frame/pages.ts';
import { endpointCard } from './endpoints.ts';
import { renderDeliveries } from './table.ts';
import { webhookTexts as texts } from './texts.ts';

/** The shop's webhook endpoints and deliveries. */
export async function portalWebhooksPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t } = view;
  const shopId = sessionShopId(c);
  const deliveryFilter = readDeliveryFilter(c.req.query());
  const cursor = c.req.query('cursor');
  const { endpoints } = await readShop(portal.store, shopId);
  const query = {
    shopId,
    ...toMessageFilter(deliveryFilter, view.zone),
    cursor,
    limit: pageSize,
  };
  // One connection at a time: a merchant's requests are counted, not its queries.
  const page = await fromDatabase(listMessages(portal.db, query));
  const toResend = await fromDatabase(hasMatching(portal.db, resentFilter(query)));
  const figures = await fromDatabase(endpointFigures(portal.db, shopId));
  if ('refusal' in page) throw invalidCursor();
  const fields = deliveryFields(view, deliveryFilter, { endpoints, reset: '/webhooks' });
  return {
    title: t(common.webhooks),
    body: html`${heading(t(common.webhooks), exportLink(view, 'webhook-deliveries', deliveryFilter), timesIn(view))}
    ${section(
      t(texts.endpoints),
      endpoints.length === 0
        ? html`<div class="empty">${t(texts.none)}</div>`
        : html`${endpoints.map((endpoint) => endpointCard(view, { endpoint, figures: figures.get(endpoint.endpointId), nowMs: portal.now() }))}`,
      renderActions(view),
    )}
    ${section(
      t(texts.deliveries),
      html`${filterForm(view, { action: '/webhooks', filter: deliveryFilter, fields })}
      ${renderDeliveries(view, { messages: page.messages, endpoints, empty: t(isNarrowed(deliveryFilter) ? deliveryWords.noneMatches : texts.empty) })}${pager(view, page.next_cursor)}`,
      toResend ? resendLink(view, deliveryFilter) : '',
    )}`,
  };
}

const renderActions = ({ t, mayAct }: PortalView): Html | string =>
  mayAct
    ? html`<a class="button small primary" href="/webhooks/endpoints/new">${t(texts.add)}</a>`
    : '';

function resendLink({ t, mayAct }: PortalView, deliveryFilter: DeliveryFilter): Html | string {
  if (!mayAct) return '';
  const query = deliveryQuery(deliveryFilter);
  const { resendShown, resendExhausted } = deliveryWords;
  return html`<a class="button small" href="/webhooks/resend${query !== '' && `?${query}`}"
    >${t(deliveryFilter.status === undefined ? resendExhausted : resendShown)}</a
  >`;
}

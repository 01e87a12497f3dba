import type { Hono } from 'hono';
import { endpointFigures, listMessages, messageStatuses } from '#services/webhooks/queries.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { heading, pager, select, timesIn, section } from '#shared/application/pages/components.ts';
import { messageStatusNames } from '#shared/application/pages/names.ts';
import { common } from '#shared/application/pages/words.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { invalidCursor } from '#shared/platform/http/cursor.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { shopIdOf, viewOf, type Portal, type PortalEnv, type View } from '../env.ts';
import { exportButton } from '../export-button.ts';
import { show } from '../frame.ts';
import { endpointCard } from './endpoints.ts';
import { messagesTable } from './table.ts';
import { webhookTexts as texts } from './texts.ts';

const pageSize = 50;

/** Where the shop's webhooks go, and how their delivery goes. */
export function registerWebhooks(app: Hono<PortalEnv>, portal: Portal): void {
  app.get('/webhooks', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const shopId = shopIdOf(c);
    const { status: wanted, endpoint: of, cursor } = c.req.query();
    const status = messageStatuses.find((each) => each === wanted);
    const { endpoints } = await readShop(portal.store, shopId);
    const endpointId = endpoints.find((each) => each.endpointId === of)?.endpointId;
    const query = { shopId, endpointId, status, cursor, limit: pageSize };
    const [page, figures] = await Promise.all([
      fromDatabase(listMessages(portal.db, query)),
      fromDatabase(endpointFigures(portal.db, shopId)),
    ]);
    if ('refusal' in page) throw invalidCursor();
    const choices = messageStatuses.map((value) => ({ value, text: t(messageStatusNames[value]) }));
    return show(c, portal, {
      title: t(texts.title),
      section: 'webhooks',
      body: html`${heading(t(texts.title), exportButton(view, 'webhook-deliveries', { status }), timesIn(view))}
        ${section(
          t(texts.endpoints),
          endpoints.length === 0
            ? html`<div class="empty">${t(texts.none)}</div>`
            : html`${endpoints.map((endpoint) => endpointCard(view, { endpoint, figures: figures.get(endpoint.endpointId), nowMs: portal.now() }))}`,
          actionsOf(view),
        )}
        <h2>${t(texts.deliveries)}</h2>
        <form class="filters" method="get" action="/webhooks">
          ${select({ name: 'status', label: t(common.status), value: status, choices: [{ value: '', text: t(common.any) }, ...choices] })}
          ${endpoints.length > 1 ? select({ name: 'endpoint', label: t(texts.endpoint), value: endpointId, choices: [{ value: '', text: t(texts.anyEndpoint) }, ...endpoints.map((each) => ({ value: each.endpointId, text: each.url }))] }) : ''}
          <div class="row"><button class="button" type="submit">${t(common.show)}</button></div>
        </form>
        ${messagesTable(view, { messages: page.messages, endpoints, empty: t(texts.empty) })}${pager(view, page.next_cursor)}`,
    });
  });
}

const actionsOf = ({ t, mayAct }: View): Html | string =>
  mayAct
    ? html`<a class="button small primary" href="/webhooks/endpoints/new">${t(texts.add)}</a
        ><a class="button small" href="/webhooks/resend">${t(texts.againMany)}</a>`
    : '';

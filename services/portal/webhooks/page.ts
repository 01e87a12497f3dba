import type { Hono } from 'hono';
import { listMessages, messageStatuses } from '#services/webhooks/queries.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import {
  at,
  heading,
  pager,
  pairs,
  select,
  timesIn,
  section,
} from '#shared/application/pages/components.ts';
import { messageStatusNames } from '#shared/application/pages/names.ts';
import { common, type Words } from '#shared/application/pages/words.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { invalidCursor } from '#shared/platform/http/cursor.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { shopIdOf, viewOf, type Portal, type PortalEnv, type View } from '../env.ts';
import { exportButton } from '../export-button.ts';
import { show } from '../frame.ts';
import { messagesTable } from './table.ts';
import { webhookTexts as texts } from './texts.ts';

const pageSize = 50;

/** Where the shop's webhooks go, and how their delivery goes. */
export function registerWebhooks(app: Hono<PortalEnv>, portal: Portal): void {
  app.get('/webhooks', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const shopId = shopIdOf(c);
    const { status: wanted, cursor } = c.req.query();
    const status = messageStatuses.find((each) => each === wanted);
    const [{ endpoints }, page] = await Promise.all([
      readShop(portal.store, shopId),
      fromDatabase(listMessages(portal.db, { shopId, status, cursor, limit: pageSize })),
    ]);
    if ('refusal' in page) throw invalidCursor();
    const choices = messageStatuses.map((value) => ({ value, text: t(messageStatusNames[value]) }));
    return show(c, portal, {
      title: t(texts.title),
      section: 'webhooks',
      body: html`${heading(t(texts.title), exportButton(view, 'webhook-deliveries', { status }), timesIn(view))}
        ${endpoint(view, endpoints[0], portal.now())}
        <h2>${t(texts.deliveries)}</h2>
        <form class="filters" method="get" action="/webhooks">
          ${select({ name: 'status', label: t(common.status), value: status, choices: [{ value: '', text: t(common.any) }, ...choices] })}
          <div class="row"><button class="button" type="submit">${t(common.show)}</button></div>
        </form>
        ${messagesTable(view, page.messages, t(texts.empty))}${pager(view, page.next_cursor)}`,
    });
  });
}

function endpoint(view: View, webhook: WebhookEndpoint | undefined, nowMs: number): Html {
  const { t, mayAct } = view;
  if (!webhook) return html`<div class="empty">${t(texts.none)}</div>`;
  const to = (path: string, text: Words) =>
    html`<a class="button small" href="/webhooks/${path}">${t(text)}</a>`;
  const { url, enabled, previous } = webhook;
  const about = pairs([
    ['URL', html`<code>${url}</code>`],
    [t(common.status), enabled ? badge('success', t(texts.on)) : badge('warning', t(texts.off))],
    ...previous
      .filter(({ validUntil }) => Date.parse(validUntil) > nowMs)
      .map(({ validUntil }) => [t(texts.previous), at(view, validUntil)] as const),
  ]);
  const actions = mayAct
    ? html`${to('rotate', texts.rotate)}${to('ping', texts.ping)}${to('resend', texts.againMany)}`
    : '';
  return section(t(texts.endpoint), html`<div class="card">${about}</div>`, actions);
}

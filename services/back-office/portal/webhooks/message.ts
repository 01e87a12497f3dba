import { attemptsOfMessage, type AttemptView } from '#shared/application/webhooks/messages/list.ts';
import {
  at,
  heading,
  pairs,
  shortId,
  renderTable,
  wholeId,
  timesIn,
} from '../../frame/components.ts';
import { attemptErrorText, messageBadge, messageStatusNames } from '../../frame/names.ts';
import { renderPolledSection } from '../../frame/polled-section.ts';
import { common } from '#shared/application/pages/translations.ts';
import { openBody } from '#shared/application/webhooks/open-body.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import {
  sessionShopId,
  portalView,
  type Portal,
  type PortalView,
  type PortalContext,
} from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { findAwaited, findMessage } from './find.ts';
import { webhookTexts as texts } from './texts.ts';

/** One webhook: its exact content, and every attempt to deliver it. */
export async function messagePage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t } = view;
  const message = await findMessage(portal.db, sessionShopId(c), c.req.param('message_id'));
  const attempts = await fromDatabase(attemptsOfMessage(portal.db, message.message_id));
  const awaited = await findAwaited(portal.db, message);
  const { operation_id: operationId, body } = message;
  const opened = await fromStore(openBody(portal.personal, { operationId, body }));
  const again = view.mayAct
    ? html`<a class="button small" href="/webhooks/messages/${message.message_id}/resend"
        >${t(common.resend)}</a
      >`
    : '';
  const endpoint = view.session?.shop.endpoints.find(
    ({ endpointId }) => endpointId === message.endpoint_id,
  )?.url;
  return {
    title: message.type,
    body: html`${heading(inParts(message.type), again, timesIn(view))}
      ${renderPolledSection(view, {
        state: t(messageStatusNames[message.status]),
        pending: message.status === 'pending' ? texts.pending : undefined,
        content: html`${pairs(
            [
              ['webhook-id', wholeId(view, message.event_id ?? message.message_id, 'webhook-id')],
              [t(common.endpoint), html`<code>${endpoint ?? message.endpoint_id}</code>`],
              [t(common.status), messageBadge(view, message.status)],
              [
                t(common.operationId),
                operationId === null ? '—' : shortId(operationId, `/operations/${operationId}`),
              ],
              [t(texts.sequenceOfOperation), String(message.sequence)],
              [
                t(texts.waitsFor),
                awaited &&
                  html`<a href="/webhooks/messages/${awaited.message_id}">${awaited.type}</a>
                    <span class="muted small">${t(texts.inOrder)}</span>`,
              ],
            ],
            'pairs across',
          )}
          <section class="section">
            <h2>${t(texts.attempts)}</h2>
            ${attemptsTable(view, attempts)}
          </section>`,
      })}
      <section class="section">
        <h2>${t(texts.body)}</h2>
        <p class="muted">${t(texts.asSent)}</p>
        <pre class="wrap" tabindex="0" role="group" aria-label="${t(texts.body)}">${opened}</pre>
      </section>`,
  };
}

/** A name that may wrap after dots and underscores, for phones. */
const inParts = (name: string): Html =>
  html`${name.split(/(?<=[._])/).map((part, index) => html`${index > 0 && html`<wbr />`}${part}`)}`;

function attemptsTable(view: PortalView, attempts: readonly AttemptView[]): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.attempts),
    columns: [common.when, common.status, { amount: texts.duration }, texts.answer],
    rows: attempts.map((attempt) => [
      at(view, attempt.time),
      html`${attempt.status !== null && html`<strong>${attempt.status}</strong>`}
      ${attempt.error !== null && attemptErrorText(view, attempt.error)}`,
      attempt.duration_ms,
      attempt.answer
        ? html`<pre tabindex="0" role="group" aria-label="${t(texts.answer)}">
${attempt.answer}</pre>`
        : '—',
    ]),
    empty: t(texts.noAttempts),
  });
}

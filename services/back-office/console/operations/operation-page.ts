import { common } from '#shared/application/pages/translations.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { mayBeClosed } from '#shared/domain/operation/ends/close-by-hand.ts';
import { isTerminal, type Operation, type OperationState } from '#shared/domain/operation/state.ts';
import { foldStored, type StoredEvent } from '#shared/platform/event-store/index.ts';
import { operations } from '#shared/application/operations/streams.ts';
import {
  materialiseEvidence,
  type MaterialisedEvidence,
} from '#shared/application/receipts/evidence.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { isErased, findMethod, readLateEvents, readOpened } from '../../api/operations/read.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { renderEntries } from '../balances/ledger.ts';
import { section, timesIn } from '../../frame/components.ts';
import { readOperationEntries } from '#projections/ledger/read-entries.ts';
import { action } from '../action-link.ts';
import { closeOperation } from '../actions/close.ts';
import { eraseClient } from '../actions/erase.ts';
import { redeliverManyAction } from '../actions/webhooks.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { renderMessages } from '../webhooks/messages.ts';
import { renderOperationHead } from './head.ts';
import { attemptsTable, renderEvidence, renderReceipts } from './tables.ts';
import { statePanel } from './state.ts';
import { oneTexts as texts } from './texts.ts';
import { timeline } from './timeline.ts';

export async function consoleOperationPage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const operationId = (c.req.param('operation_id') ?? '').toLowerCase();
  const events = await readOpened(console, operationId, { operator: c.get('session').holder });
  const state = foldStored(operations, events);
  const [shop, lateEvents, entries, evidence] = await Promise.all([
    state.phase === 'admitted' ? fromStore(console.directory.byId(state.shopId)) : undefined,
    readLateEvents(console.store, operationId),
    state.phase === 'admitted' ? readOperationEntries(console, state.operationId) : [],
    loadEvidence(console, state, c.get('requestId')),
  ]);
  const last = events.length - 1;
  const requested = Number(c.req.query('revision') ?? last);
  const shown =
    Number.isInteger(requested) && requested >= 0 && requested <= last ? requested : last;
  const all = [...events, ...lateEvents].toSorted((left, right) =>
    left.position < right.position ? -1 : 1,
  );
  return {
    title: `${t(common.operation)} ${operationId.slice(0, 8)}`,
    body: html`${renderOperationHead(view, { operationId, state, shopName: shop?.settings.name })}
      <div class="columns time">
        <section class="section">
          <div class="spread">
            <h2>${t(texts.events)}</h2>
            <p class="muted small">${timesIn(view)}</p>
          </div>
          ${timeline(view, { operationId, method: findMethod(events), events: all, shown, past: shown < last })}
        </section>
        ${statePanel(view, { operationId, events, shown })}
      </div>
      ${state.phase === 'admitted' && (await sections(view, console, { operation: state, entries }))}
      ${state.phase === 'admitted' && evidence && section(t(texts.evidence), evidenceSection(view, evidence, state.request.currency))}`,
  };
}

/** The sections below the events: as they are now, whichever revision is shown. */
async function sections(
  view: ConsoleView,
  console: Console,
  { operation, entries }: { operation: Operation; entries: readonly StoredEvent[] },
): Promise<Html> {
  const { t } = view;
  const { shopId, operationId } = operation;
  const page = await fromDatabase(listMessages(console.db, { shopId, operationId, limit: 200 }));
  const messages = 'refusal' in page ? [] : page.messages;
  const many = messages.some(({ status }) => status === 'exhausted')
    ? action(view, redeliverManyAction, {
        params: { shop_id: shopId },
        query: { operation_id: operationId, status: 'exhausted' },
        text: texts.againAll,
      })
    : '';
  const noEntries = t(isTerminal(operation.status) ? texts.neverMoved : texts.noEntries);
  const merchantIds = new Map([[operationId, operation.merchantOperationId]]);
  return html`${section(t(texts.attempts), attemptsTable(view, operation))}
  ${section(t(common.ledgerEntries), renderEntries(view, entries, { empty: noEntries, merchantIds }))}
  ${operation.receipts.length > 0 && section(t(texts.receipts), renderReceipts(view, operation))}
  ${section(t(common.deliveries), renderMessages(view, { shopId, messages, empty: t(texts.noMessages) }), many)}
  ${byHand(view, operation)} ${personalData(view, operation)}`;
}

/** The link to close it manually when its provider never finishes. */
function byHand(view: ConsoleView, operation: Operation): Html | string {
  const close = action(view, closeOperation, {
    params: { operation_id: operation.operationId },
    text: texts.close,
    tone: 'danger',
  });
  if (close === '' || !mayBeClosed(operation, new Date().toISOString())) return '';
  const about = html`<p class="muted measure">${view.t(texts.aboutClosing)}</p>`;
  return section(view.t(texts.stuck), about, close);
}

/**
 * The link to an erasure, at the end of the page: it is permanent and covers all of the client's
 * operations.
 */
function personalData(view: ConsoleView, operation: Operation): Html | string {
  const { shopId, request, status } = operation;
  const erase = action(view, eraseClient, {
    params: { shop_id: shopId },
    query: { client_id: request.client_id },
    text: texts.erase,
    tone: 'danger',
  });
  if (erase === '' || !isTerminal(status) || isErased(operation)) return '';
  const about = html`<p class="muted measure">${view.t(texts.aboutErasing)}</p>`;
  return section(view.t(texts.personal), about, erase);
}

/** The page waits for it: after this the provider counts as not answering. */
const evidenceMs = 2_000;

/**
 * Proof of its transfers, requested from the provider if not yet known. Undefined if there is no
 * money.
 */
async function loadEvidence(
  { store, connectors: providers }: Console,
  state: OperationState,
  requestId: string,
): Promise<MaterialisedEvidence | undefined> {
  if (state.phase !== 'admitted' || state.settled?.recorded_amount === undefined) return undefined;
  const origin = { actor: 'service:admin', correlationId: requestId, requestId };
  return materialiseEvidence({ store, providers }, state, {
    bounds: { timeoutMs: evidenceMs },
    origin,
  });
}

const evidenceSection = (view: ConsoleView, made: MaterialisedEvidence, currency: string): Html =>
  made.outcome === 'known'
    ? renderEvidence(view, made.evidence, currency)
    : html`<p class="muted measure">${view.t(texts.noEvidence)}</p>`;

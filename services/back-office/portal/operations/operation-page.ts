import { projectStream } from '#projections/operations/project-stream.ts';
import { readOperationEntries } from '#projections/ledger/read-entries.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { returnedSoFar } from '#shared/domain/late/returned.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import type { Evidence } from '#shared/domain/evidence/events.ts';
import { common } from '#shared/application/pages/translations.ts';
import { ensureEntriesPosted } from '#shared/application/operations/post-before-answer.ts';
import { lateFactsFold } from '#shared/application/operations/streams.ts';
import { readEvidence } from '#shared/application/receipts/evidence.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { foldStored, type StoredEvent } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { at, section, renderTable } from '../../frame/components.ts';
import { statusBadge } from '../../frame/names.ts';
import { renderMerchantEntries } from '../balances/entries.ts';
import {
  sessionReader,
  sessionShopId,
  portalView,
  type Portal,
  type PortalView,
  type PortalContext,
} from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { renderDeliveries } from '../webhooks/table.ts';
import { findOperation } from './find.ts';
import { renderMerchantOperationHead } from './head.ts';
import { listReturns, backTable, backTitle, lateMoney, lateTitle } from './later-money.ts';
import { listVisibleStates } from './states.ts';
import { operationTexts as texts } from './texts.ts';
import { uploadsTable, uploadsTitle } from './uploads.ts';

/** One operation with every detail that the API shows to its merchant, and no more. */
export async function portalOperationPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const { store, db, personal, accessLog, entryPoster } = portal;
  const view = portalView(c);
  const { t } = view;
  const shopId = sessionShopId(c);
  const { operation, events } = await findOperation(store, shopId, c.req.param('operation_id'));
  const { operationId, type } = operation;
  await ensureEntriesPosted(entryPoster, operation);
  const [opened, late, evidence] = await Promise.all([
    fromStore(personal.open(operation)),
    fromStore(store.read(lateStream(operationId))),
    isTerminal(operation.status) ? fromStore(readEvidence(store, operation)) : undefined,
  ]);
  // One connection at a time: a merchant's requests are counted, not its queries.
  const entries = await readOperationEntries(portal, operationId, { ofShop: operation.shopId });
  const messages = await fromDatabase(listMessages(db, { shopId, operationId, limit: 200 }));
  accessLog.saw(sessionReader(c), { operationId, shown: 'operation' });
  const shown = viewOperation(operation, opened);
  const rows = projectStream(events);
  if (!shown || !rows) throw new Problem('operation_not_found');
  const { erased } = opened;
  const returned = returnedSoFar(operation, foldStored(lateFactsFold, late));
  const merchantIds = new Map([[operationId, operation.merchantOperationId]]);
  const noEntries = t(isTerminal(operation.status) ? texts.neverMoved : texts.noEntries);
  const { currency } = operation.request;
  const backs = listReturns({ operation: events, late, entries });
  const lateBacks = lateMoney({ late, entries });
  return {
    title: `${t(common.operation)} ${operationId.slice(0, 8)}`,
    body: html`${renderMerchantOperationHead(view, { operation, row: rows.operation, shown, opened, returned, hasLateMoney: lateBacks.length > 0 })}
    ${lateBacks.length > 0 && section(t(lateTitle), backTable(view, lateTitle, { backs: lateBacks, currency }))}
    ${backs.length > 0 && section(t(backTitle(type)), backTable(view, backTitle(type), { backs, currency }))}
    ${rows.uploadedReceipts.length > 0 && section(t(uploadsTitle), uploadsTable(view, rows.uploadedReceipts, { erased }))}
    ${section(t(texts.states), statesTable(view, events))}
    ${section(`${t(texts.entries)}, ${shown.settlement_currency}`, renderMerchantEntries(view, entries, { empty: noEntries, merchantIds }))}
    ${evidence && section(t(texts.evidence), evidenceTable(view, evidence, { currency, erased }))}
    ${section(t(common.webhooks), renderDeliveries(view, { messages: 'refusal' in messages ? [] : messages.messages, endpoints: view.session?.shop.endpoints ?? [], empty: t(texts.noMessages) }))}`,
  };
}

function statesTable(view: PortalView, events: readonly StoredEvent[]): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.states),
    columns: [common.status, texts.since],
    rows: listVisibleStates(events).map(({ status, since }) => [
      statusBadge(view, status),
      at(view, since),
    ]),
  });
}

/** The evidence of its money; files of an erased client are not shown. */
function evidenceTable(
  view: PortalView,
  { operation_id: operationId, items }: Evidence,
  { currency, erased }: { currency: string; erased: boolean },
): Html {
  const { t, language } = view;
  return renderTable(view, {
    caption: t(texts.evidence),
    columns: [common.receipt, { amount: common.amount }, texts.completedAt, common.file],
    rows: items.map(({ receipt_id: id, amount, completed_at: completedAt, file }) => [
      html`<code>${id}</code>`,
      formatAmount(language, amount, currency),
      at(view, completedAt),
      file && !erased
        ? html`<a href="/operations/${operationId}/receipts/${id}">${t(texts.open)}</a>`
        : '—',
    ]),
  });
}

import { lateStream } from '#shared/domain/late/events.ts';
import { maskCard } from '#shared/domain/methods/index.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { viewOperation, type OperationView } from '#shared/domain/operation/view.ts';
import type { Evidence } from '#shared/domain/evidence/events.ts';
import {
  at,
  metadataList,
  pairs,
  section,
  table,
  timesIn,
  wholeId,
} from '../../frame/components.ts';
import {
  movedNames,
  operationBadge,
  reasonNames,
  statusBadge,
  typeNames,
} from '../../frame/names.ts';
import { readEntriesOf } from '#projections/ledger/read-entries.ts';
import { common } from '#shared/application/pages/translations.ts';
import { ensureEntriesPosted } from '#shared/application/operations/post-before-answer.ts';
import { readEvidence } from '#shared/application/receipts/evidence.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { entriesTable } from '../balances/entries.ts';
import { readerOf, shopIdOf, viewOf, type Portal, type View, type PortalApp } from '../env.ts';
import { show } from '../frame.ts';
import { messagesTable } from '../webhooks/table.ts';
import { findOperation } from './find.ts';
import { backOf, backTable, backTitle } from './returned.ts';
import { statesOf } from './states.ts';
import { oneTexts as texts } from './texts.ts';

/** One operation with every detail that the API shows to its merchant, and no more. */
export function registerOperationPage(app: PortalApp, portal: Portal): void {
  const { store, db, personal, accessLog, entryPoster } = portal;
  app.get('/operations/:operation_id', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const shopId = shopIdOf(c);
    const { operation, events } = await findOperation(store, shopId, c.req.param('operation_id'));
    const { operationId } = operation;
    await ensureEntriesPosted(entryPoster, operation);
    const [opened, late, evidence] = await Promise.all([
      fromStore(personal.open(operation)),
      fromStore(store.read(lateStream(operationId))),
      isTerminal(operation.status) ? fromStore(readEvidence(store, operation)) : undefined,
    ]);
    // One connection at a time: a merchant's requests are counted, not its queries.
    const entries = await readEntriesOf(portal, operationId, { ofShop: operation.shopId });
    const messages = await fromDatabase(listMessages(db, { shopId, operationId, limit: 200 }));
    accessLog.saw(readerOf(c), { operationId, shown: 'operation' });
    const shown = viewOperation(operation, opened);
    const merchantIds = new Map([[operationId, operation.merchantOperationId]]);
    const noEntries = t(isTerminal(operation.status) ? texts.neverMoved : texts.noEntries);
    const backs = backOf({ operation: events, late, entries });
    return show(c, portal, {
      title: `${t(common.operation)} ${operationId.slice(0, 8)}`,
      section: 'operations',
      trail: [{ href: '/operations', text: t(common.operations) }],
      body: html`${shown && head(view, operation, { shown, erased: opened.erased })}
      ${section(t(texts.states), statesTable(view, events))}
      ${section(t(texts.entries), entriesTable(view, entries, { empty: noEntries, merchantIds }))}
      ${backs.length > 0 && section(t(backTitle(operation.type)), backTable(view, operation.type, backs))}
      ${operation.receipts.length > 0 && section(t(texts.uploaded), uploadedTable(view, operation))}
      ${evidence && section(t(texts.evidence), evidenceTable(view, evidence, opened.erased))}
      ${section(t(common.webhooks), messagesTable(view, { messages: 'refusal' in messages ? [] : messages.messages, endpoints: view.session?.shop.endpoints ?? [], empty: t(texts.noMessages) }))}`,
    });
  });
}

function head(
  view: View,
  operation: Operation,
  { shown, erased }: { shown: OperationView; erased: boolean },
): Html {
  const { t, language } = view;
  const money = (amount: string | undefined, currency: string | undefined) =>
    amount === undefined || currency === undefined
      ? undefined
      : formatAmount(language, amount, currency);
  const { currency } = shown;
  const facts = pairs(
    [
      ['operation_id', wholeId(view, shown.operation_id, 'operation_id')],
      [
        t(common.merchantOperationId),
        wholeId(view, operation.merchantOperationId, t(common.merchantOperationId)),
      ],
      [t(common.client), html`<code>${operation.request.client_id}</code>`],
      [t(common.method), html`<code>${shown.method}</code>`],
      [t(movedNames[shown.type]), money(shown.actual_amount, currency)],
      [
        t(texts.rate),
        shown.fx_rate && html`${shown.fx_rate} <span class="muted">${shown.fx_source}</span>`,
      ],
      [t(texts.recorded), money(shown.recorded_amount, shown.recorded_currency)],
      [t(texts.settlement), money(shown.settlement_amount, shown.settlement_currency)],
      [t(common.commission), money(shown.commission_amount, shown.settlement_currency)],
      [t(texts.number), shown.number && html`<code>${masked(shown)}</code>`],
      [t(texts.recipient), shown.name || undefined],
      [t(common.bank), shown.bankname_details ?? shown.bankname],
      [t(texts.purpose), shown.transfer_purpose && html`<code>${shown.transfer_purpose}</code>`],
      [t(texts.expires), shown.expires_at && at(view, shown.expires_at)],
      [t(texts.check), shown.manual_check_reason && t(reasonNames[shown.manual_check_reason])],
      [t(common.metadata), metadataList(shown.metadata)],
    ],
    'pairs across',
  );
  return html`<header class="heading">
    <div class="row">
      <h1>
        ${t(typeNames[shown.type])} ${formatAmount(language, shown.expected_amount, currency)}
      </h1>
      ${operationBadge(view, operation)} ${erased && badge('neutral', t(texts.erased), 'slash')}
    </div>
    ${facts}
    <p class="muted">${timesIn(view)}</p>
  </header>`;
}

/** The number as the API shows it, less the middle of a long one: others may see the screen. */
const masked = ({ number = '' }: OperationView): string =>
  number.length > 12
    ? maskCard(number)
    : `${'*'.repeat(Math.max(0, number.length - 4))}${number.slice(-4)}`;

function statesTable(view: View, events: readonly StoredEvent[]): Html {
  const { t } = view;
  return table(view, {
    caption: t(texts.states),
    columns: [common.status, texts.since],
    rows: statesOf(events).map(({ status, since }) => [statusBadge(view, status), at(view, since)]),
  });
}

/** Receipts that confirm a payment, from the payer or the merchant. */
function uploadedTable(view: View, { receipts, receiptUnderReview }: Operation): Html {
  const { t } = view;
  return table(view, {
    caption: t(texts.uploaded),
    columns: ['receipt_id', texts.pdf],
    rows: receipts.map(({ receiptId, pdf }) => [
      html`<code>${receiptId}</code
        >${receiptId === receiptUnderReview && html` ${badge('warning', t(texts.underReview))}`}`,
      t(pdf ? common.yes : common.no),
    ]),
  });
}

/** The evidence of its money; files of an erased client are not shown. */
function evidenceTable(
  view: View,
  { operation_id: operationId, items }: Evidence,
  erased: boolean,
): Html {
  const { t, language } = view;
  return table(view, {
    caption: t(texts.evidence),
    columns: [common.receipt, { amount: common.amount }, texts.completedAt, common.file],
    rows: items.map(({ receipt_id: id, amount, completed_at: completedAt, file }) => [
      html`<code>${id}</code>`,
      formatAmount(language, amount, '').trim(),
      at(view, completedAt),
      file && !erased
        ? html`<a href="/operations/${operationId}/receipts/${id}">${t(texts.open)}</a>`
        : '—',
    ]),
  });
}

import { readShop } from '#shared/application/directory/command-shop.ts';
import { openLabel, type FileLabel } from '#shared/application/payout-batches/file-label.ts';
import { readFileRows } from '#shared/application/payout-batches/file-rows.ts';
import { resultFile } from '#shared/application/payout-batches/result-file.ts';
import { explainRowError } from '#shared/application/payout-batches/row-faults.ts';
import { findExisting } from '#projections/operations/find-existing.ts';
import { readPayoutOutcomes, type PayoutOutcome } from '#projections/operations/payout-outcomes.ts';
import { findPayoutBatch } from '#projections/shops/payout-batches.ts';
import {
  payoutIds,
  batchStatus,
  type Author,
  type CheckedBatch,
} from '#shared/domain/payout-batch/decide.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { badge, html, notice, type Html } from '#shared/platform/pages/index.ts';
import {
  at,
  count,
  pairs,
  section,
  renderTable,
  timesIn,
  wholeId,
} from '../../frame/components.ts';
import { renderPolledSection } from '../../frame/polled-section.ts';
import type { PortalReader } from '../access-log.ts';
import {
  endsIn,
  sessionReader,
  sessionShopId,
  portalView,
  type Portal,
  type PortalView,
  type PortalContext,
} from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { costSection, costWarnings, readCost } from './cost.ts';
import { findBatch } from './find.ts';
import { shownStatus } from './list.ts';
import { outcomeStatus, summarize } from './outcome.ts';
import { outcomeSection } from './outcome-section.ts';
import { rowsSection, sheetRow } from './rows.ts';
import { authorName, checkConfirmation } from './second-member.ts';
import { payoutTexts as texts, rowTexts, batchStatusNames } from './texts.ts';

const errorsShown = 100;

type Status = keyof typeof batchStatusNames;
type FoundFile = { batch: CheckedBatch; shop: Shop; status: Status };
/** The part of the page below its head, and what may be done there. */
type BatchContent = { status: Status; body: Html; buttons?: Html };

/** A file: who uploaded it, what is in it, what it costs, and what became of it (R24.5). */
export async function batchPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t } = view;
  // First: a batch that ends in between is done then.
  const runs = await fromStore(portal.runs.current());
  const batch = await findBatch(portal, sessionShopId(c), c.req.param('batch_id'));
  const shop = await readShop(portal.store, sessionShopId(c));
  const errors = batch.checked.errors.length;
  const found = shownStatus({ ...batchStatus(batch, runs), errors }, shop);
  const { status, body, buttons } = await renderContent(c, portal, {
    batch,
    shop,
    status: found,
  });
  const label = await readLabel(portal, batch, sessionReader(c));
  const head = await renderHead(c, portal, { file: { batch, shop, status }, label, buttons });
  return {
    title: label?.name ?? t(texts.batch),
    body: renderPolledSection(view, {
      state: t(batchStatusNames[status]),
      pending: pendingText(status),
      content: html`${head}${body}`,
    }),
  };
}

/** What became of each row, as a file. */
export async function sendBatchResult(c: PortalContext, portal: Portal): Promise<Response> {
  const batch = await findBatch(portal, sessionShopId(c), c.req.param('batch_id'));
  const file = resultFile(batch, await readOutcomes(portal, batch));
  return c.body(file, 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="payouts-result.csv"',
    'cache-control': 'no-store',
  });
}

/** A file's name may be personal, so the access log has who saw it. @throws Problem not_ready */
export async function readLabel(
  { personal, accessLog }: Pick<Portal, 'personal' | 'accessLog'>,
  { checked: { batch_id: batchId, sealed_file: sealed } }: CheckedBatch,
  reader: PortalReader,
): Promise<FileLabel | undefined> {
  const label = await fromStore(openLabel(personal, { batchId, sealed }));
  if (label?.name) accessLog.saw(reader, { namedFiles: [batchId] });
  return label;
}

const readOutcomes = (
  portal: Portal,
  batch: CheckedBatch,
): Promise<ReadonlyMap<string, PayoutOutcome>> =>
  readPayoutOutcomes(endsIn(portal, portal.db), {
    shopId: batch.checked.shop_id,
    operationIds: payoutIds(batch),
  });

function pendingText(status: Status) {
  if (status === 'running') return texts.running;
  return status === 'paying' ? texts.paying : undefined;
}

async function renderContent(
  c: PortalContext,
  portal: Portal,
  found: FoundFile,
): Promise<BatchContent> {
  const { batch, status } = found;
  const view = portalView(c);
  if (status === 'errors') return { status, body: renderErrors(view, batch) };
  if (status === 'checked' || status === 'second') return review(c, portal, found);
  const outcome = summarize(batch, await readOutcomes(portal, batch));
  const { batch_id: id } = batch.checked;
  const failed = [...outcome.notCreated.values()].flat().map(({ operationId }) => operationId);
  const existing = await fromDatabase(findExisting(portal.db, failed));
  return {
    status: status === 'done' ? outcomeStatus(batch, outcome) : status,
    body: outcomeSection(view, { batchId: id, outcome, existing }),
    buttons: html`<a class="button small" href="/payouts/${id}/result.csv"
      >${view.t(texts.result)}</a
    >`,
  };
}

/** What is confirmed: the rows, what they cost, and who may confirm them (R24.13, R24.14). */
async function review(c: PortalContext, portal: Portal, found: FoundFile): Promise<BatchContent> {
  const { batch, shop, status } = found;
  const view = portalView(c);
  const { t } = view;
  const rows = await readFileRows(portal, batch);
  if (!rows) return { status, body: notice('warning', html`<p>${t(rowTexts.gone)}</p>`) };
  const { may, about } = checkConfirmation(c, { batch, shop });
  const cost = await readCost(portal, { batch, rows, shop });
  const { batch_id: batchId } = batch.checked;
  const cursor = c.req.query('cursor');
  const listed = await rowsSection(portal, view, {
    batchId,
    rows,
    used: cost.used,
    reader: sessionReader(c),
    cursor,
  });
  return {
    status,
    body: html`${about}${costWarnings(view, cost)}${costSection(view, cost)}${listed}`,
    ...(may && {
      buttons: html`<a class="button primary" href="/payouts/${batchId}/confirm"
        >${t(texts.confirm)}</a
      >`,
    }),
  };
}

type Head = { file: FoundFile; label: FileLabel | undefined; buttons: Html | undefined };

/** Who uploaded and who confirmed it; the times and the latter may be a moment behind. */
async function renderHead(c: PortalContext, { db }: Portal, { file, label, buttons }: Head) {
  const view = portalView(c);
  const { t } = view;
  const { batch, shop, status } = file;
  const { batch_id: batchId } = batch.checked;
  const row = await fromDatabase(findPayoutBatch(db, { shopId: shop.shopId, batchId }));
  const named = (author: Author, time: Date | null | undefined) => {
    const name = authorName(view, author, { members: c.get('session').members, shop });
    return time ? html`${name}, ${at(view, time)}` : name;
  };
  const { confirmed_by: actor, confirmed_at: time } = row ?? {};
  const facts = pairs(
    [
      [t(texts.uploadedBy), named(batch.uploadedBy, row?.uploaded_at)],
      [t(texts.confirmedBy), actor && named({ actor }, time)],
      [t(texts.rows), count(view, batch.checked.rows)],
      [t(texts.batchId), wholeId(view, batchId, t(texts.batchId))],
      [t(texts.hash), label && wholeId(view, label.sha256, t(texts.hash))],
    ],
    'pairs across',
  );
  const { tone } = batchStatusNames[status];
  return html`<header class="heading">
    <div class="spread">
      <div class="row">
        <h1>${label?.name ?? t(texts.batch)}</h1>
        ${badge(tone, t(batchStatusNames[status]))}
      </div>
      <div class="row">${buttons ?? ''}</div>
    </div>
    ${facts}
    <p class="muted">${timesIn(view)}</p>
  </header>`;
}

function renderErrors(view: PortalView, { checked: { errors } }: CheckedBatch): Html {
  const { t } = view;
  const rows = errors
    .slice(0, errorsShown)
    .map((error) => [
      error.cell ?? `${t(texts.row)} ${sheetRow(view, error.row)}`,
      error.pointer === '' ? '—' : html`<code>${error.pointer.slice(1)}</code>`,
      html`${t(explainRowError(error))}
      ${error.operation_id !== undefined && html`<a href="/operations/${error.operation_id}">${t(texts.seeOperation)}</a>`}`,
    ]);
  const first = t(texts.firstErrors).replace('{n}', count(view, errorsShown));
  const listed = renderTable(view, {
    caption: t(texts.errors),
    columns: [texts.cell, texts.field, texts.wrong],
    rows,
  });
  return html`${notice('danger', html`<p>${t(texts.mend)}</p>`)}
  ${section(
    `${t(texts.errors)}: ${count(view, errors.length)}`,
    html`<p class="muted small">
        ${t(rowTexts.counted)}${errors.length > errorsShown && html` ${first}`}
      </p>
      ${listed}`,
    html`<a class="button small" href="/payouts">${t(texts.uploadAgain)}</a>`,
  )}`;
}

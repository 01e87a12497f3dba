import { toMinor } from '#shared/domain/ledger/minor.ts';
import { bankLabel } from '#shared/domain/methods/index.ts';
import type { CreateBody } from '#shared/application/create-body/body.ts';
import {
  repeatsOperation,
  type UsedNames,
} from '#shared/application/payout-batches/existing-operations.ts';
import type { FileRow } from '#shared/application/payout-batches/file-rows.ts';
import { toSheetRow } from '#shared/application/payout-batches/sheet-row.ts';
import { common } from '#shared/application/pages/translations.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { count, pager, section, renderTable } from '../../frame/components.ts';
import { clipped } from '../../frame/operations-table.ts';
import type { PortalReader } from '../access-log.ts';
import type { Portal, PortalView } from '../env.ts';
import { maskedNumber } from '../masked-number.ts';
import { aboutRecipients, markedRecipient, readRecipients, type Recipients } from './recipients.ts';
import { payoutTexts, rowTexts as texts } from './texts.ts';

const rowsOnPage = 50;

export const sheetRow = (view: PortalView, row: number): string => count(view, toSheetRow(row));

type ShownRows = {
  batchId: string;
  rows: readonly FileRow[];
  used: UsedNames;
  reader: PortalReader;
  /** How many rows the pages before this one have. */
  cursor: string | undefined;
};

/**
 * A page of a file's rows, the largest first (R24.14). Opening them reads personal data, so the
 * access log has who saw which.
 * @throws Problem not_ready
 */
export async function rowsSection(
  portal: Pick<Portal, 'accessLog' | 'db' | 'store' | 'personal'>,
  view: PortalView,
  { batchId, rows, used, reader, cursor }: ShownRows,
): Promise<Html> {
  const { t } = view;
  const from = /^\d{1,5}$/.test(cursor ?? '') ? Number(cursor) : 0;
  const sorted = rows
    .map((row) => ({ row, minor: toMinor(row.amount) }))
    .toSorted((one, other) => Number(other.minor - one.minor) || one.row.row - other.row.row);
  const shown = sorted.slice(from, from + rowsOnPage).map(({ row }) => row);
  portal.accessLog.saw(reader, { batchId, rows: shown.map(({ row }) => row) });
  const recipients = await readRecipients(portal, { rows, reader });
  const listed = renderTable(view, {
    caption: t(texts.title),
    columns: [
      payoutTexts.row,
      { amount: common.amount },
      texts.number,
      texts.recipient,
      common.bank,
      common.method,
      common.merchantOperationId,
      common.client,
    ],
    rows: await Promise.all(
      shown.map((row) => rowCells(portal, view, { row, used, recipients, reader })),
    ),
  });
  const next = from + rowsOnPage;
  return section(
    t(texts.title),
    html`<p class="muted small">${t(texts.largest)} ${t(texts.counted)}</p>
      ${aboutRecipients(view, recipients)}${listed}${pager(view, next < rows.length ? String(next) : null)}`,
  );
}

type ShownRow = {
  row: FileRow;
  used: UsedNames;
  recipients: Recipients;
  reader: PortalReader;
};

async function rowCells(
  portal: Pick<Portal, 'store' | 'personal' | 'accessLog'>,
  view: PortalView,
  { row, used, recipients, reader }: ShownRow,
): Promise<(Html | string)[]> {
  const { t, language } = view;
  const body = await fromStore(row.open());
  const { number = '', name = '—', bankname } = body ?? {};
  const bank = bankLabel(language, { code: bankname }) || '—';
  return [
    sheetRow(view, row.row),
    formatAmount(language, row.amount, row.currency),
    body ? html`<code class="plain">${maskedNumber(row.method, number)}</code>` : t(texts.erased),
    markedRecipient(view, name, await recipients.markOf(row)),
    bank,
    html`<code class="plain">${row.method}</code>`,
    await markedId(portal, view, {
      row,
      body,
      operationId: used.get(row.merchant_operation_id),
      reader,
    }),
    clipped(row.client_id),
  ];
}

type RowId = {
  row: FileRow;
  body: CreateBody | undefined;
  operationId: string | undefined;
  reader: PortalReader;
};

/**
 * A row's id. One that an operation has already leads to that, and shows whether its personal data
 * are the same, so the access log has the operation.
 */
async function markedId(
  portal: Pick<Portal, 'store' | 'personal' | 'accessLog'>,
  { t }: PortalView,
  { row, body, operationId, reader }: RowId,
): Promise<Html> {
  const id = clipped(row.merchant_operation_id);
  if (operationId === undefined) return id;
  const repeats = body && (await fromStore(repeatsOperation(portal, operationId, body)));
  if (body) portal.accessLog.saw(reader, { operationId, shown: 'operation' });
  const mark = repeats === true ? texts.exists : texts.taken;
  return html`<a href="/operations/${operationId}">${id}</a> ${badge('warning', t(mark))}`;
}

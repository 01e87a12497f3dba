import { sql } from 'kysely';
import {
  decodeOperationEvent,
  isTerminalEventType,
  type OperationEventType,
} from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { defineTable, type Batch, type RowOf } from '../read-model.ts';
import type { RowChange } from '../rows/row-per-stream.ts';
import type { OperationRow } from './table.ts';

/** One receipt that a payer uploaded. */
export type UploadedReceiptRow = RowOf<typeof uploadedReceiptsTable>;

export const uploadedReceiptsTable = defineTable<{
  size_bytes: number;
  decision: 'approve' | 'decline' | 'ask_again' | null;
  status: 'under_review' | 'manual_check' | 'ask_again' | 'closed';
}>()({
  name: 'uploaded_receipts',
  comment:
    'One row per receipt that a payer uploaded, with its outcome. The files are not here; providers’ evidence of transfers is in gateway.receipts.',
  primaryKey: ['operation_id', 'receipt_id'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment: 'gateway.operations.operation_id (filled in the same transaction)',
    },
    receipt_id: { type: 'text not null', comment: "The gateway's id of the upload" },
    number: { type: 'integer not null', comment: "1 for the operation's first" },
    shop_id: { type: 'text not null', comment: "The operation's shop" },
    sha256: {
      type: 'text not null',
      comment: "Of the file's bytes, in hex: the same file on two operations has the same",
    },
    size_bytes: { type: 'bigint not null', comment: 'Size of the file' },
    pdf: { type: 'boolean not null', comment: 'It is a PDF, by its content' },
    uploaded_at: { type: 'timestamptz not null', comment: 'Time of the upload' },
    uploaded_by: {
      type: 'text not null',
      comment: 'Who uploaded it: merchant:<shop_id> with the API, payer:payment-page on the page',
    },
    provider_answered_at: { type: 'timestamptz', comment: 'Time of the provider’s response to it' },
    provider_took: {
      type: 'boolean',
      comment: 'Whether the provider accepted it for review; null before its response',
    },
    flagged_at: {
      type: 'timestamptz',
      comment: 'Time at which it started to wait for an operator',
    },
    flag_reason: {
      type: 'text',
      comment: 'potential_fake or not_terminal, as given last; null where no reason was given',
    },
    decision: {
      type: 'text',
      comment: 'approve, decline or ask_again: what an operator decided, if one did',
    },
    decided_by: { type: 'text', comment: 'That operator, as operator:<name>' },
    decided_at: { type: 'timestamptz', comment: 'Time of the decision' },
    approved_amount: {
      type: 'numeric(38,2)',
      comment: "The amount on it by the operator, in the operation's currency, if stated",
    },
    status: {
      type: 'text not null',
      comment:
        'under_review (by the provider), manual_check (waits for an operator), ask_again (another one is wanted), closed (the operation has ended)',
    },
    position: {
      type: 'bigint not null',
      comment: 'Position in the log of the newest event in this row',
    },
  },
  indexes: [{ on: 'uploaded_at' }, { on: 'sha256' }, { on: 'receipt_id' }],
});

/** The receipts that a batch adds or changes, starting from what earlier batches wrote. */
export async function projectUploadedReceipts(
  { tx, schema }: Batch,
  changes: readonly RowChange<OperationRow>[],
): Promise<UploadedReceiptRow[]> {
  const about = changes.filter(({ after }) => after.receipts_count > 0);
  const byOperation = new Map<string, readonly UploadedReceiptRow[]>();
  const older = [...new Set(about.filter(hadSome).map(({ after }) => after.operation_id))];
  if (older.length > 0) {
    const { rows } = await sql<UploadedReceiptRow>`
      select * from ${sql.id(schema, uploadedReceiptsTable.name)} where operation_id = any(${older})
      order by operation_id, number`.execute(tx);
    for (const row of rows)
      byOperation.set(row.operation_id, [...(byOperation.get(row.operation_id) ?? []), row]);
  }
  const changed = new Map<string, UploadedReceiptRow>();
  for (const { after, event } of about) {
    const before = byOperation.get(after.operation_id) ?? [];
    const receipts = afterEvent(before, after, event);
    if (receipts === before) continue;
    byOperation.set(after.operation_id, receipts);
    for (const row of receipts) changed.set(`${row.operation_id} ${row.receipt_id}`, row);
  }
  return [...changed.values()];
}

const hadSome = ({ before }: RowChange<OperationRow>): boolean => (before?.receipts_count ?? 0) > 0;

const aboutReceipts: ReadonlySet<string> = new Set([
  'ReceiptUploaded',
  'ReceiptSubmitted',
  'ManualCheckStarted',
  'ReviewDecided',
] satisfies OperationEventType[]);

/**
 * The receipts of an operation after one more event, oldest first: the same array if the event does
 * not concern them. Pure.
 */
export function afterEvent(
  receipts: readonly UploadedReceiptRow[],
  operation: OperationRow,
  stored: StoredEvent,
): readonly UploadedReceiptRow[] {
  const at = stored.created;
  const position = stored.position.toString();
  const change = (receiptId: string, changes: Partial<UploadedReceiptRow>) =>
    receipts.map((row) => (row.receipt_id === receiptId ? { ...row, ...changes, position } : row));
  if (isTerminalEventType(stored.type)) {
    return receipts.map((row) =>
      row.status === 'closed' ? row : { ...row, status: 'closed', position },
    );
  }
  if (!aboutReceipts.has(stored.type)) return receipts;
  const event = decodeOperationEvent(stored);
  if (event.type === 'ReceiptUploaded')
    return [...receipts, uploaded(event.data, operation, stored)];
  if (event.type === 'ReceiptSubmitted') {
    return change(event.data.receipt_id, {
      provider_answered_at: at,
      provider_took: event.data.taken,
    });
  }
  if (event.type === 'ManualCheckStarted') {
    const { receipt_id, reason } = event.data;
    const first = receipts.find((row) => row.receipt_id === receipt_id)?.flagged_at;
    const flagged = { flagged_at: first ?? at, flag_reason: reason ?? null };
    return change(receipt_id, { ...flagged, status: 'manual_check' });
  }
  if (event.type === 'ReviewDecided') {
    const { receipt_id, decision, actual_amount } = event.data;
    const decided = { decision, decided_by: stored.metadata.actor, decided_at: at };
    return change(receipt_id, {
      ...decided,
      approved_amount: actual_amount ?? null,
      ...(decision === 'ask_again' && { status: decision }),
    });
  }
  return receipts;
}

type Upload = { receipt_id: string; sha256: string; size_bytes: number; pdf: boolean };

function uploaded(
  upload: Upload,
  operation: OperationRow,
  stored: StoredEvent,
): UploadedReceiptRow {
  return {
    operation_id: operation.operation_id,
    ...upload,
    number: operation.receipts_count,
    shop_id: operation.shop_id,
    uploaded_at: stored.created,
    uploaded_by: stored.metadata.actor,
    provider_answered_at: null,
    provider_took: null,
    flagged_at: null,
    flag_reason: null,
    decision: null,
    decided_by: null,
    decided_at: null,
    approved_amount: null,
    status: 'under_review',
    position: stored.position.toString(),
  };
}

import { sql } from 'kysely';
import { isZero } from '#shared/domain/money.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import { decodeEvidenceEvent } from '#shared/domain/evidence/events.ts';
import { itemOfLeg } from '#shared/domain/evidence/materialise.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { hashToUuid } from '#shared/application/receipts/uuid.ts';
import type { Batch } from '../read-model.ts';
import { rowPerStream, type RowChange } from '../rows/row-per-stream.ts';
import { upsert, upsertRows } from '../rows/upsert.ts';
import {
  evidenceTable,
  receiptsTable,
  type EvidenceRow,
  type ReceiptRow,
} from './evidence-tables.ts';
import { projectLegs, legsTable, type LegRow } from './legs.ts';
import type { OperationRow } from './table.ts';

/** Applies the evidence that providers were polled for. */
export const applyMaterialised = rowPerStream({
  table: evidenceTable,
  key: 'operation_id',
  streamPrefix: 'receipts-',
  project: projectEvidence,
  companionWrites: ({ schema }, changes) => {
    const rows = changes.flatMap(({ event }) => projectReceipts(event));
    return [upsert({ table: receiptsTable, schema, rows })];
  },
});

/** Writes the evidence of operations whose own legs are the evidence, after the batch's legs. */
export async function writeEvidenceInLegs(
  { tx, schema }: Batch,
  changes: readonly RowChange<OperationRow>[],
): Promise<void> {
  const ends = changes.filter(({ event }) => saysLegs(event));
  if (ends.length === 0) return;
  const earlier = ends
    .filter(({ before }) => (before?.legs_count ?? 0) > 0)
    .map(({ after }) => after.operation_id);
  const legs =
    earlier.length === 0
      ? []
      : (
          await sql<LegRow>`
            select * from ${sql.id(schema, legsTable.name)} where operation_id = any(${earlier})`.execute(
            tx,
          )
        ).rows;
  const legsById = Map.groupBy(legs, ({ operation_id: id }) => id);
  const made = ends.map((end) =>
    projectLegEvidence(end, legsById.get(end.after.operation_id) ?? projectLegs([end])),
  );
  await upsertRows(tx, {
    table: evidenceTable,
    schema,
    rows: made.map(({ evidence }) => evidence),
  });
  await upsertRows(tx, {
    table: receiptsTable,
    schema,
    rows: made.flatMap(({ receipts }) => receipts),
  });
}

function saysLegs(stored: StoredEvent): boolean {
  if (stored.type !== 'OperationCompleted' && stored.type !== 'OperationPartiallyCompleted')
    return false;
  const { data } = decodeOperationEvent(stored);
  return 'evidence' in data && data.evidence === 'legs';
}

/** The rows of an operation whose legs are its evidence. Pure. */
export function projectLegEvidence(
  { after, event }: Pick<RowChange<OperationRow>, 'after' | 'event'>,
  legs: readonly LegRow[],
): { evidence: EvidenceRow; receipts: ReceiptRow[] } {
  const receipts = legs
    .filter(({ amount }) => !isZero(amount))
    .map(({ operation_id, attempt, provider, completed_at, ...leg }) => {
      if (attempt === null || provider === null) throw new Error('money came for no attempt');
      const item = itemOfLeg(
        { ...leg, completed_at: completed_at.toISOString() },
        { operationId: operation_id, attempt, provider, uuidOf: hashToUuid },
      );
      return { operation_id, ...item, completed_at };
    })
    .toSorted(byTime)
    .map((row, index) => ({ ...row, number: index + 1 }));
  const evidence: EvidenceRow = {
    operation_id: after.operation_id,
    shop_id: after.shop_id,
    status: receipts.some(({ synthetic }) => synthetic) ? 'partial' : 'complete',
    receipts_count: receipts.length,
    materialised_at: event.created,
    revision: event.revision,
    position: event.position.toString(),
  };
  return { evidence, receipts };
}

type ReceiptTime = Pick<ReceiptRow, 'completed_at' | 'receipt_id'>;
const byTime = (left: ReceiptTime, right: ReceiptTime): number =>
  left.completed_at.getTime() - right.completed_at.getTime() ||
  (left.receipt_id < right.receipt_id ? -1 : 1);

/**
 * The row of an operation's materialised evidence. Pure. @throws for a second event, or one that
 * this version does not know
 */
export function projectEvidence(before: EvidenceRow | undefined, stored: StoredEvent): EvidenceRow {
  const { operation_id, shop_id, status, items } = decodeEvidenceEvent(stored).data;
  if (before) throw new Error('evidence is materialised once');
  return {
    operation_id,
    shop_id,
    status,
    receipts_count: items.length,
    materialised_at: stored.created,
    revision: stored.revision,
    position: stored.position.toString(),
  };
}

/** The rows of its items. Pure. */
export function projectReceipts(stored: StoredEvent): ReceiptRow[] {
  const { operation_id, items } = decodeEvidenceEvent(stored).data;
  return items.map((item, index) => ({
    operation_id,
    ...item,
    number: index + 1,
    completed_at: new Date(item.completed_at),
  }));
}

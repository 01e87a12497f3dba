import type { Evidence } from '#shared/domain/evidence/events.ts';
import type { LedgerCheckpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import { decodeAdjustmentEvent } from '#shared/domain/adjustment/events.ts';
import { commandStreams, projectCommand } from '#projections/operators/project.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import type { LedgerTree } from '../../money/trees/entry-tree.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { exactText } from '../../log/operation/exact-arithmetic.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import { toEntryRow, ledgerRow, reservationRow, type RecordedEntry } from './ledger-rows.ts';
import { evidenceRows } from './evidence-rows.ts';
import type { Limits } from './limits.ts';
import {
  legRows,
  newOperationRows,
  operationRow,
  returnedLegRows,
  statusRows,
  applyToRows,
} from './operation-rows.ts';
import { projectOrSkip, putInto } from './put-row.ts';
import type { RowIndex } from './row-index.ts';
import { toCheckpointRow, nodeRows, treeRow } from './tree-rows.ts';
import { createPayoutBatchRows, createSetupRows } from './setup-rows.ts';
import { createStatementRows } from './statement-rows.ts';
import { putLate, putResolution, type LateInput } from './suspense-rows.ts';
import { putOwn, type Put } from './tables.ts';

type RecordOptions = {
  index: RowIndex;
  limits: Limits;
  /** The position up to which events count for webhook messages. */
  messagesUpTo(): number;
  /** Only this shop's rows. */
  shopId?: string;
};

export type RecordedRows = ReturnType<typeof createRecordedRows>;
/** Called with everything that has a row in some table. */
export type Rows = Partial<RecordedRows>;

type RowSink = {
  put: Put;
  putOwn: ReturnType<typeof putOwn>;
  limits: Limits;
  /** Whether it belongs to a shop other than the requested one. */
  isOther(shopId: string | undefined): boolean;
};

/** Hashes the rows that the log gives for every table. */
export function createRecordedRows({ index, limits, messagesUpTo, shopId }: RecordOptions) {
  const isOther = (otherShopId: string | undefined) =>
    shopId !== undefined && otherShopId !== shopId;
  const put = putInto(index);
  const making: RowSink = { put, putOwn: putOwn(put), limits, isOther };
  return {
    ...setupTables(making, shopId),
    ...operationTables(making),
    ...moneyTables(making),
    /** One message for each endpoint that the event is sent to. */
    message: (
      ofShop: string,
      { event }: Pick<EventEnvelope, 'event'>,
      sent: { endpointIds: readonly string[]; message: () => object },
    ): void => {
      const { position } = event;
      if (position > messagesUpTo() || isOther(ofShop)) return;
      const message = sent.message();
      for (const endpoint_id of sent.endpointIds)
        index.put({
          table: 'message',
          key: `${event.id} ${endpoint_id}`,
          row: canonicalJson({ endpoint_id, message }),
          position,
        });
    },
  };
}

/** Shops, merchants, statements of providers, and what operators did. */
function setupTables({ put, limits }: RowSink, shopId: string | undefined) {
  const setup = createSetupRows(put, shopId);
  const takeStatement = createStatementRows(put);
  const takePayoutBatch = createPayoutBatchRows(put, shopId);
  return {
    /** Rows that are known only at the end. */
    finish: setup.finish,
    /** For streams with operators' commands: each event after it was checked. */
    command: (envelope: EventEnvelope): void => {
      const { position, stream } = envelope.event;
      if (!commandStreams.some((prefix) => stream.startsWith(prefix))) return;
      if (!limits.takes('operators', position)) return;
      const row = projectOrSkip(() => projectCommand(envelope));
      // Many events belong to no shop.
      if (row && (shopId === undefined || row.shop_id === shopId))
        put('operator_commands', row, { own: { amount: adjustedAmount(envelope) }, position });
    },
    providerStatement: (envelope: EventEnvelope): void => {
      if (shopId === undefined && limits.takes('statements', envelope.event.position))
        takeStatement(envelope);
    },
    merchant: (envelope: EventEnvelope): void => {
      if (limits.takes('shops', envelope.event.position)) setup.merchant(envelope);
    },
    shop: (id: string, envelope: EventEnvelope): void => {
      if (limits.takes('shops', envelope.event.position)) setup.shop(id, envelope);
    },
    /** For what becomes of files of payouts. */
    payoutBatch: (event: PayoutBatchEvent, seen: EventEnvelope): void => {
      if (limits.takes('shops', seen.event.position)) takePayoutBatch(event, seen);
    },
  };
}

/** The amount of a command on a balance. */
function adjustedAmount(envelope: EventEnvelope): string | null {
  if (envelope.type !== 'AdjustmentRequested') return null;
  const { type, data } = decodeAdjustmentEvent(envelope);
  return type === 'AdjustmentRequested' ? exactText(data.amount) : null;
}

/**
 * Operations and their details. Their rows are made whenever their entity is spilled; the last ones
 * count.
 */
function operationTables(making: RowSink) {
  const { putOwn: put, limits, isOther } = making;
  return {
    /** Called before `operation`, while the entity shows the state before the event. */
    beforeOperation: (entity: AuditedEntity, { event }: EventEnvelope): void => {
      if (entity.rowsSealed || limits.takes('operations', event.position)) return;
      putOperation(making, entity);
      entity.rowsSealed = true;
      delete entity.rows;
    },
    operation: (
      entity: AuditedEntity,
      { event, envelope }: { event: OperationEvent; envelope: EventEnvelope },
    ): void => {
      if (event.type === 'OperationAdmitted') putName(making, event.data, envelope);
      if (entity.rowsSealed || !entity.operation) return;
      if (event.type === 'OperationAdmitted') {
        entity.rows = newOperationRows(event.data.merchant_id, envelope.atMs);
      }
      if (entity.rows) applyToRows(entity.rows, entity.operation, { event, envelope });
    },
    evidence: (data: Evidence, envelope: EventEnvelope): void => {
      const { position, revision } = envelope.event;
      if (!limits.takes('operations', position) || isOther(data.shop_id)) return;
      const { operation_id, shop_id, status, items } = data;
      const counted = {
        receipts_count: items.length,
        materialised_at: envelope.atMs,
        revision,
        position,
      };
      put('evidence', { operation_id, shop_id, status, ...counted }, position);
      for (const [at, item] of items.entries()) {
        const { receipt_id, leg_id, attempt, provider, amount, file, synthetic } = item;
        const leg = { leg_id, attempt, provider, amount, file, synthetic };
        const completed_at = Date.parse(item.completed_at);
        put(
          'receipts',
          { operation_id, receipt_id, number: at + 1, ...leg, completed_at },
          position,
        );
      }
    },
    spill: (entity: AuditedEntity): void => putOperation(making, entity),
  };
}

function putName(
  { putOwn: put, limits, isOther }: RowSink,
  data: { operation_id: string; shop_id: string; merchant_operation_id: string },
  { event: { position }, atMs }: EventEnvelope,
): void {
  const { operation_id, shop_id, merchant_operation_id } = data;
  if (!limits.takes('ledger', position) || isOther(shop_id)) return;
  put('ledger_operations', { operation_id, merchant_operation_id, admitted_at: atMs }, position);
}

function putOperation({ putOwn: put, isOther }: RowSink, { rows, operation }: AuditedEntity): void {
  if (!rows || !operation || isOther(operation.shopId)) return;
  put('operations', operationRow(rows, operation), rows.position);
  for (const row of statusRows(rows, operation)) put('status_history', row, rows.position);
  for (const row of legRows(rows, operation)) put('legs', row, rows.position);
  for (const row of returnedLegRows(rows, operation)) put('returned_legs', row, rows.position);
  for (const row of rows.uploads) put('uploaded_receipts', row, rows.position);
  for (const row of rows.decisions) put('operation_decisions', row, rows.position);
  const own = evidenceRows(rows, operation);
  if (own) {
    put('evidence', own.evidence, own.evidence.position);
    for (const row of own.receipts) put('receipts', row, own.evidence.position);
  }
}

/** The ledger and the suspense account. */
function moneyTables({ put: putAudited, putOwn: put, limits, isOther }: RowSink) {
  return {
    /** The tree of a ledger of which a checkpoint is requested. */
    tree: (tree: LedgerTree, { event: { position } }: EventEnvelope): void => {
      if (!limits.takes('ledger', position) || isOther(tree.shopId)) return;
      put('ledger_trees', treeRow(tree), position);
    },
    signedCheckpoint: (data: LedgerCheckpoint, tree: LedgerTree, envelope: EventEnvelope): void => {
      const { position } = envelope.event;
      if (!limits.takes('ledger', position) || isOther(data.shop_id)) return;
      put('ledger_trees', treeRow(tree), position);
      put('ledger_checkpoints', toCheckpointRow(data, envelope), position);
    },
    entry: (posted: RecordedEntry, entity: AuditedEntity | undefined): void => {
      const { entry, envelope } = posted;
      const { position } = envelope.event;
      if (limits.takes('suspense', position) && entity && !isOther(entry.shop_id))
        putResolution(putAudited, entity, posted);
      if (!limits.takes('ledger', position) || isOther(entry.shop_id)) return;
      put('journal_entries', toEntryRow(posted), position);
      put('ledgers', ledgerRow(posted), position);
      put('ledger_trees', treeRow(posted.leaf.tree), position);
      for (const row of nodeRows(posted.leaf)) put('ledger_tree_nodes', row, position);
      const opened =
        'reservation' in entry ? (entity?.reservations[entry.reservation] ?? {}) : undefined;
      const reservation = opened && reservationRow(posted, opened);
      if (reservation) put('reservations', reservation, position);
    },
    late: (entity: AuditedEntity, input: LateInput): void => {
      if (!limits.takes('suspense', input.envelope.event.position)) return;
      if (!isOther(input.event.data.shop_id)) putLate(putAudited, entity, input);
    },
  };
}

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
import { createLedgerRows, type RecordedEntry } from './ledger-rows.ts';
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
function moneyTables({ put, limits, isOther }: RowSink) {
  const rows = createLedgerRows(put);
  const isWanted = (shopId: string, { event }: EventEnvelope) =>
    limits.takes('ledger', event.position) && !isOther(shopId);
  return {
    /** For an operation that is admitted. */
    name: (shopId: string, envelope: EventEnvelope): void => {
      if (isWanted(shopId, envelope)) rows.operation(envelope);
    },
    /** For a checkpoint of a ledger that is requested. */
    tree: (tree: LedgerTree, envelope: EventEnvelope): void => {
      if (isWanted(tree.shopId, envelope)) rows.request(envelope, tree);
    },
    signedCheckpoint: (data: LedgerCheckpoint, tree: LedgerTree, envelope: EventEnvelope): void => {
      if (isWanted(data.shop_id, envelope)) rows.checkpoint(data, tree, envelope);
    },
    entry: (posted: RecordedEntry, entity: AuditedEntity | undefined): void => {
      const { entry, envelope } = posted;
      const isResolved = limits.takes('suspense', envelope.event.position) && entity;
      if (isResolved && !isOther(entry.shop_id)) putResolution(put, entity, posted);
      if (isWanted(entry.shop_id, envelope)) rows.entry(posted, entity);
    },
    late: (entity: AuditedEntity, input: LateInput): void => {
      if (!limits.takes('suspense', input.envelope.event.position)) return;
      if (!isOther(input.event.data.shop_id)) putLate(put, entity, input);
    },
  };
}

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
import type { Limits } from './limits.ts';
import { applyToRows, putEvidence, putOperation } from './operation-rows.ts';
import { projectOrSkip, putInto } from './put-row.ts';
import type { RowIndex } from './row-index.ts';
import { createPayoutBatchRows, createSetupRows } from './setup-rows.ts';
import { createStatementRows } from './statement-rows.ts';
import { putLate, putResolution, type LateInput } from './suspense-rows.ts';
import type { Put } from './tables.ts';

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
  limits: Limits;
  /** Whether it belongs to a shop other than the requested one. */
  isOther(shopId: string | undefined): boolean;
};

/** Hashes the rows that the log gives for every table. */
export function createRecordedRows({ index, limits, messagesUpTo, shopId }: RecordOptions) {
  const isOther = (otherShopId: string | undefined) =>
    shopId !== undefined && otherShopId !== shopId;
  const put = putInto(index);
  const making: RowSink = { put, limits, isOther };
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
 * Operations and their details. The row of an operation is made whenever its entity is spilled; the
 * last one counts.
 */
function operationTables({ put, limits, isOther }: RowSink) {
  const spill = ({ rows, operation }: AuditedEntity): void => {
    if (rows && operation) putOperation(put, rows, operation);
  };
  return {
    /** Called before `operation`, while the entity shows the state before the event. */
    beforeOperation: (entity: AuditedEntity, { event }: EventEnvelope): void => {
      if (entity.rowsSealed || limits.takes('operations', event.position)) return;
      spill(entity);
      entity.rowsSealed = true;
      delete entity.rows;
    },
    operation: (
      entity: AuditedEntity,
      applied: { event: OperationEvent; envelope: EventEnvelope },
    ): void => {
      if (!entity.rowsSealed && !isOther(entity.operation?.shopId))
        applyToRows(put, entity, applied);
    },
    evidence: (data: Evidence, envelope: EventEnvelope): void => {
      if (limits.takes('operations', envelope.event.position) && !isOther(data.shop_id))
        putEvidence(put, data, envelope);
    },
    spill,
  };
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

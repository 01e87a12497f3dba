import type { SignedCheckpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { decodeLateEvent } from '#shared/domain/late/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import type { Evidence } from '#shared/domain/evidence/events.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { ShopTree } from '../../money/trees/shop-tree.ts';
import type { PostedEntry } from './ledger-rows.ts';

/** Called with everything that has a row in some table. */
export type Rows = {
  /** For streams with operators' commands: each event after it was checked. */
  command(envelope: EventEnvelope): void;
  providerStatement(envelope: EventEnvelope): void;
  merchant(envelope: EventEnvelope): void;
  shop(shopId: string, envelope: EventEnvelope): void;
  /** For what becomes of files of payouts. */
  payoutBatch(event: PayoutBatchEvent, envelope: EventEnvelope): void;
  /** Called before `operation`, while the entity shows the state before the event. */
  beforeOperation(entity: AuditedEntity, envelope: EventEnvelope): void;
  operation(entity: AuditedEntity, input: { event: OperationEvent; envelope: EventEnvelope }): void;
  /** One message for each endpoint that the event is sent to. */
  message(
    shopId: string,
    envelope: EventEnvelope,
    sent: { endpointIds: readonly string[]; message: () => object },
  ): void;
  entry(posted: PostedEntry, entity: AuditedEntity | undefined): void;
  /** The tree of a shop that has no entry yet. */
  tree(tree: ShopTree, envelope: EventEnvelope): void;
  signedCheckpoint(data: SignedCheckpoint, tree: ShopTree, envelope: EventEnvelope): void;
  late(
    entity: AuditedEntity,
    input: { event: ReturnType<typeof decodeLateEvent>; envelope: EventEnvelope },
  ): void;
  evidence(entity: AuditedEntity, input: { data: Evidence; envelope: EventEnvelope }): void;
  spill(entity: AuditedEntity): void;
};

const nothing = () => undefined;

/** For an audit of the log alone. */
export const noRows: Rows = {
  command: nothing,
  providerStatement: nothing,
  merchant: nothing,
  shop: nothing,
  payoutBatch: nothing,
  beforeOperation: nothing,
  operation: nothing,
  message: nothing,
  entry: nothing,
  tree: nothing,
  signedCheckpoint: nothing,
  late: nothing,
  evidence: nothing,
  spill: nothing,
};

import type { Checkpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { decodeLateEvent } from '#shared/domain/late/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import type { Evidence } from '#shared/domain/receipts/events.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import type { Seen } from '../../report/findings/report-violation.ts';
import type { ShopTree } from '../../money/trees/shop-tree.ts';
import type { PostedEntry } from './ledger-rows.ts';

/** Called with everything that has a row in some table. */
export type Rows = {
  /** For streams with operators' commands: each event after it was checked. */
  command(seen: Seen): void;
  /** For the streams of providers' statements. */
  statement(seen: Seen): void;
  merchant(seen: Seen): void;
  shop(shopId: string, seen: Seen): void;
  /** For what becomes of files of payouts. */
  payoutBatch(event: PayoutBatchEvent, seen: Seen): void;
  /** Called before `operation`, while the entity shows the state before the event. */
  beforeOperation(entity: AuditedEntity, seen: Seen): void;
  operation(entity: AuditedEntity, given: { event: OperationEvent; seen: Seen }): void;
  /** One message for each endpoint that the event is sent to. */
  message(
    shopId: string,
    seen: Seen,
    sent: { endpointIds: readonly string[]; message: () => object },
  ): void;
  entry(posted: PostedEntry, entity: AuditedEntity | undefined): void;
  /** The tree of a shop that has no entry yet. */
  tree(tree: ShopTree, seen: Seen): void;
  checkpoint(data: Checkpoint, tree: ShopTree, seen: Seen): void;
  late(
    entity: AuditedEntity,
    given: { event: ReturnType<typeof decodeLateEvent>; seen: Seen },
  ): void;
  evidence(entity: AuditedEntity, given: { data: Evidence; seen: Seen }): void;
  /** `atRest`: nothing more is expected, so the rows are final unless a forbidden event comes. */
  spill(entity: AuditedEntity, atRest: boolean): void;
};

const nothing = () => undefined;

/** For an audit of the log alone. */
export const noRows: Rows = {
  command: nothing,
  statement: nothing,
  merchant: nothing,
  shop: nothing,
  payoutBatch: nothing,
  beforeOperation: nothing,
  operation: nothing,
  message: nothing,
  entry: nothing,
  tree: nothing,
  checkpoint: nothing,
  late: nothing,
  evidence: nothing,
  spill: nothing,
};

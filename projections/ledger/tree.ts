import type { EventOf } from '#shared/domain/decode.ts';
import type {
  checkpointRequestEventSchemas,
  LedgerCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import type { StatementEntry } from '#shared/domain/ledger/statement-entry.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { appendLeaf, emptyFrontier, type Frontier } from '#shared/platform/merkle/frontier.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import { isInFuture } from '../as-of.ts';
import { storableText } from '../rows/upsert.ts';
import type { Leaf, LoggedEntry } from './posted-entry.ts';
import type { CheckpointRow, LedgerOperationRow, TreeNodeRow, TreeRow } from './tree-tables.ts';

/** A tree as it changes within a batch: its frontier is decoded once, and encoded once. */
export type BatchTree = Omit<TreeRow, 'size' | 'frontier'> & { frontier: Frontier };

export const treeOfRow = ({ size, frontier, ...row }: TreeRow): BatchTree => ({
  ...row,
  frontier: {
    size,
    hashes:
      frontier === '' ? [] : frontier.split(' ').map((hash) => Buffer.from(hash, 'base64url')),
  },
});

export const rowOfTree = ({ frontier, ...row }: BatchTree): TreeRow => ({
  ...row,
  size: frontier.size,
  frontier: frontier.hashes.map((hash) => hash.toString('base64url')).join(' '),
});

/** The tree of a ledger that has no entry yet. */
export const emptyTree = (shopId: string, currency: string): BatchTree => ({
  shop_id: shopId,
  currency,
  frontier: emptyFrontier,
  newest_at: null,
  signed_size: null,
  signed_at: null,
  requested_at: null,
  position: '0',
});

/** The name of an operation that an event admits; undefined for other events. Pure. */
export function ledgerOperationRow(event: StoredEvent): LedgerOperationRow | undefined {
  if (event.type !== 'OperationAdmitted') return undefined;
  const { type, data } = decodeOperationEvent(event);
  if (type !== 'OperationAdmitted') return undefined;
  const merchant_operation_id = storableText(data.merchant_operation_id);
  return { operation_id: data.operation_id, merchant_operation_id, admitted_at: event.created };
}

/** No later leaf has an earlier time; null if there is neither a leaf nor a checkpoint. */
function newestTime({
  newest_at: leaf,
  signed_at: signed,
}: Pick<TreeRow, 'newest_at' | 'signed_at'>): Date | null {
  if (leaf === null || signed === null) return leaf ?? signed;
  return leaf > signed ? leaf : signed;
}

/** Whether its next entry would have a time from the future of this clock. */
export function isAhead(
  tree: Pick<TreeRow, 'newest_at' | 'signed_at'> | undefined,
  nowMs: number,
): boolean {
  const newest = tree ? newestTime(tree) : null;
  return newest !== null && isInFuture(newest, nowMs);
}

/** The tree with one more entry. Pure. */
export function treeAfter(
  before: BatchTree,
  posted: LoggedEntry,
  merchantOperationId: string | null,
): { tree: BatchTree; leaf: Leaf; nodes: TreeNodeRow[] } {
  const { entry, event } = posted;
  // The clock of another leader may be behind: times of leaves never go back, and none is from
  // before the checkpoint that it follows, which would have left it out.
  const newest = newestTime(before);
  const at = newest === null || event.created > newest ? event.created : newest;
  const hash = leafHash(canonicalJson(statementEntry(posted, { at, merchantOperationId })));
  const { frontier, completed } = appendLeaf(before.frontier, hash);
  return {
    tree: {
      ...before,
      frontier,
      newest_at: at,
      position: event.position.toString(),
    },
    leaf: { hash, at, merchantOperationId },
    nodes: completed.flatMap(({ height, number, hash: root }) =>
      height % 8 === 0
        ? {
            shop_id: entry.shop_id,
            currency: entry.currency,
            level: height / 8,
            number,
            hash: root.toString('base64url'),
          }
        : [],
    ),
  };
}

const statementEntry = (
  { entry, moves, event }: LoggedEntry,
  { at, merchantOperationId }: Pick<Leaf, 'at' | 'merchantOperationId'>,
): StatementEntry => ({
  entry_id: event.id,
  operation_id: 'operation_id' in entry ? entry.operation_id : null,
  merchant_operation_id: merchantOperationId,
  kind: entry.kind,
  amount: moves.balance,
  reserved: entry.reserved_after,
  balance: entry.balance_after,
  at: at.toISOString(),
});

/**
 * Whether a checkpoint has every entry from before its time. One that was recorded after a leaf
 * that it lacks may not: nothing relies on it.
 * @param next the time of the first leaf that it lacks, if the log has that before it
 */
export const leavesNoneOut = ({ signed_at }: LedgerCheckpoint, next: Date | undefined): boolean =>
  next === undefined || next >= new Date(signed_at);

/** The tree once a checkpoint of it that leaves none out is in the log. Pure. */
export function treeSigned(
  before: BatchTree,
  { tree_size, signed_at }: LedgerCheckpoint,
): BatchTree {
  const signedAt = new Date(signed_at);
  const { requested_at: requestedAt } = before;
  return {
    ...before,
    signed_size: tree_size,
    signed_at: signedAt,
    requested_at: requestedAt !== null && requestedAt > signedAt ? requestedAt : null,
  };
}

type CheckpointRequest = EventOf<typeof checkpointRequestEventSchemas>['data'];

/** The tree once a checkpoint of it is requested: the last request counts. Pure. */
export function treeRequested(before: BatchTree, { covers }: CheckpointRequest): BatchTree {
  const requestedAt = new Date(covers);
  const { signed_at: signedAt } = before;
  const isCovered = signedAt !== null && requestedAt <= signedAt;
  return { ...before, requested_at: isCovered ? null : requestedAt };
}

/** The row of a checkpoint. Pure. */
export const treeCheckpointRow = (
  { shop_id, currency, tree_size, root, signed_at, key_id, signature }: LedgerCheckpoint,
  { revision, position }: Pick<StoredEvent, 'revision' | 'position'>,
): CheckpointRow => ({
  shop_id,
  currency,
  tree_size,
  root,
  signed_at: new Date(signed_at),
  key_id,
  signature,
  revision,
  position: position.toString(),
});

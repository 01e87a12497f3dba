import type { SignedCheckpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { StatementEntry } from '#shared/domain/ledger/statement-entry.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { append, emptyFrontier, type Frontier } from '#shared/platform/merkle/frontier.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import type { Leaf, Posted } from './posted-entry.ts';
import type { CheckpointRow, TreeNodeRow, TreeRow } from './tree-tables.ts';

/** A tree as it changes within a batch: its frontier is decoded once, and encoded once. */
export type Tree = Omit<TreeRow, 'size' | 'frontier'> & { frontier: Frontier };

export const treeOfRow = ({ size, frontier, ...row }: TreeRow): Tree => ({
  ...row,
  frontier: {
    size,
    hashes:
      frontier === '' ? [] : frontier.split(' ').map((hash) => Buffer.from(hash, 'base64url')),
  },
});

export const rowOfTree = ({ frontier, ...row }: Tree): TreeRow => ({
  ...row,
  size: frontier.size,
  frontier: frontier.hashes.map((hash) => hash.toString('base64url')).join(' '),
});

/** The tree of a shop that has no entry yet. */
export const emptyTree = (
  shopId: string,
  { created, position }: Pick<StoredEvent, 'created' | 'position'>,
): Tree => ({
  shop_id: shopId,
  frontier: emptyFrontier,
  newest_at: created,
  signed_size: null,
  signed_at: null,
  position: position.toString(),
});

/** The tree with one more entry. Pure. */
export function treeAfter(
  before: Tree,
  posted: Posted,
  merchantOperationId: string | null,
): { tree: Tree; leaf: Leaf; nodes: TreeNodeRow[] } {
  const { entry, event } = posted;
  // The clock of another leader may be behind: times of leaves never go back.
  const at = event.created > before.newest_at ? event.created : before.newest_at;
  const hash = leafHash(canonicalJson(statementEntry(posted, { at, merchantOperationId })));
  const { frontier, completed } = append(before.frontier, hash);
  return {
    tree: {
      ...before,
      frontier,
      newest_at: at,
      position: event.position.toString(),
    },
    leaf: { index: before.frontier.size, hash, at, merchantOperationId },
    nodes: completed.flatMap(({ height, number, hash: root }) =>
      height % 8 === 0
        ? { shop_id: entry.shop_id, level: height / 8, number, hash: root.toString('base64url') }
        : [],
    ),
  };
}

const statementEntry = (
  { entry, moves, event }: Posted,
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

/** The tree once a checkpoint of it is in the log. Pure. */
export const treeSigned = (before: Tree, { tree_size, signed_at }: SignedCheckpoint): Tree => ({
  ...before,
  signed_size: tree_size,
  signed_at: new Date(signed_at),
});

/** The row of a checkpoint. Pure. */
export const checkpointRow = (
  { shop_id, tree_size, root, signed_at, key_id, signature }: SignedCheckpoint,
  { revision, position }: Pick<StoredEvent, 'revision' | 'position'>,
): CheckpointRow => ({
  shop_id,
  tree_size,
  root,
  signed_at: new Date(signed_at),
  key_id,
  signature,
  revision,
  position: position.toString(),
});

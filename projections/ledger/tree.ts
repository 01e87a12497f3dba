import type { Checkpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { StatementEntry } from '#shared/domain/ledger/statement-entry.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { append } from '#shared/platform/merkle/frontier.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import type { Leaf, Posted } from './posted.ts';
import type { CheckpointRow, TreeNodeRow, TreeRow } from './tree-tables.ts';

/** The tree of a shop that has no entry yet. */
export const emptyTree = (
  shopId: string,
  { created, position }: Pick<StoredEvent, 'created' | 'position'>,
): TreeRow => ({
  shop_id: shopId,
  size: 0,
  frontier: '',
  newest_at: created,
  signed_size: null,
  signed_at: null,
  position: position.toString(),
});

/** The tree with one more entry. Pure. */
export function treeAfter(
  before: TreeRow,
  posted: Posted,
  merchantOperationId: string | null,
): { tree: TreeRow; leaf: Leaf; nodes: TreeNodeRow[] } {
  const { entry, event } = posted;
  // The clock of another leader may be behind: times of leaves never go back.
  const at = event.created > before.newest_at ? event.created : before.newest_at;
  const hash = leafHash(canonicalJson(statementEntry(posted, { at, merchantOperationId })));
  const hashes = before.frontier === '' ? [] : before.frontier.split(' ').map(fromBase64url);
  const { frontier, completed } = append({ size: before.size, hashes }, hash);
  return {
    tree: {
      ...before,
      size: frontier.size,
      frontier: frontier.hashes.map((each) => each.toString('base64url')).join(' '),
      newest_at: at,
      position: event.position.toString(),
    },
    leaf: { index: before.size, hash, at, merchantOperationId },
    nodes: completed.flatMap(({ height, number, hash: root }) =>
      height % 8 === 0
        ? { shop_id: entry.shop_id, level: height / 8, number, hash: root.toString('base64url') }
        : [],
    ),
  };
}

const fromBase64url = (text: string): Buffer => Buffer.from(text, 'base64url');

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
export const treeSigned = (before: TreeRow, { tree_size, signed_at }: Checkpoint): TreeRow => ({
  ...before,
  signed_size: tree_size,
  signed_at: new Date(signed_at),
});

/** The row of a checkpoint. Pure. */
export const checkpointRow = (
  { shop_id, tree_size, root, signed_at, key_id, signature }: Checkpoint,
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

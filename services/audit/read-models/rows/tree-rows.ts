import type { LedgerCheckpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { LedgerTree, PostedLeaf } from '../../money/trees/entry-tree.ts';
import type { Row } from './tables.ts';

/** The row of gateway.ledger_trees. */
export const treeRow = (tree: LedgerTree): Row => ({
  shop_id: tree.shopId,
  currency: tree.currency,
  size: tree.frontier.size,
  frontier: tree.frontier.hashes.map((hash) => hash.toString('base64url')).join(' '),
  newest_at: tree.newestMs ?? null,
  signed_size: tree.signed?.size ?? null,
  signed_at: tree.signed?.atMs ?? null,
  requested_at: tree.requestedMs ?? null,
  position: tree.position,
});

/** The rows of gateway.ledger_tree_nodes that an entry completes. */
export const nodeRows = ({ tree, completed }: PostedLeaf): Row[] =>
  completed.map(({ level, number, hash }) => ({
    shop_id: tree.shopId,
    currency: tree.currency,
    level,
    number,
    hash: hash.toString('base64url'),
  }));

/** The row of gateway.ledger_checkpoints. */
export const toCheckpointRow = (
  { shop_id, currency, tree_size, root, signed_at, key_id, signature }: LedgerCheckpoint,
  { event: { revision, position } }: EventEnvelope,
): Row => ({
  shop_id,
  currency,
  tree_size,
  root,
  signed_at: Date.parse(signed_at),
  key_id,
  signature,
  revision,
  position,
});

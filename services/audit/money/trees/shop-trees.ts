import type { SignedCheckpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import type { EventEnvelope, FlagViolation } from '../../report/findings/report-violation.ts';
import { EntryTree } from './entry-tree.ts';
import { judgeRoot } from './judge-root.ts';

/**
 * The trees that version 1 of checkpoints signed: one of each shop, of its entries in all
 * currencies. A log begins without checkpoints of ledgers, or was written before there were any:
 * from the first one on, none of a shop is signed.
 */
export function createShopTrees() {
  let trees: Map<string, EntryTree> | undefined = new Map();
  const findOrAddTree = (shopId: string): EntryTree | undefined => {
    const existing = trees?.get(shopId) ?? new EntryTree();
    trees?.set(shopId, existing);
    return trees && existing;
  };
  return {
    /** No time in a shop's tree is before that of the shop. */
    begin: (shopId: string, { atMs }: EventEnvelope): void => {
      const tree = findOrAddTree(shopId);
      if (tree) tree.newestMs ??= atMs;
    },
    add: (
      { entry, envelope }: { entry: Entry; envelope: EventEnvelope },
      stateAt: (atMs: number) => object,
    ): void => {
      const tree = findOrAddTree(entry.shop_id);
      if (!tree) return;
      const atMs = Math.max(envelope.atMs, tree.newestMs ?? 0);
      tree.add({ hash: leafHash(canonicalJson(stateAt(atMs))), atMs });
    },
    checkpoint: (data: SignedCheckpoint, flag: FlagViolation): void => {
      const tree = findOrAddTree(data.shop_id);
      if (!tree) return flag('tree.size', 'a tree of all currencies follows trees of ledgers');
      if (data.tree_size === tree.signed?.size)
        flag('tree.size', `${data.tree_size} entries are signed again`);
      judgeRoot(tree, data, flag);
      tree.sign(data.tree_size, Date.parse(data.signed_at));
    },
    /** A ledger's tree is signed. */
    end: (): void => {
      trees = undefined;
    },
  };
}
